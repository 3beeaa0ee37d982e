// Draws docs/serve-page.png: node screenshot.mjs PROGRAM OUT.png [dark]
import { Server } from './server.mjs';
import { launch, logIn, openStreams } from './browser.mjs';

const [program, out, scheme = 'light'] = process.argv.slice(2);
const server = await Server.start(program, ['--demo']);
const browser = await launch();
const page = await browser.newPage({
  viewport: { width: 1060, height: 880 }, colorScheme: scheme, deviceScaleFactor: 1 });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
await logIn(page, server.url, 'alice');
for (const seconds of [4, 5, 3, 6, 4]) {
  await pause(seconds * 1000);
  await openStreams(page, 1);
}
await page.click('#publish');
await pause(9000);
await page.click('#streams li[data-n="3"] button');
await pause(5000);
await openStreams(page, 1);
await pause(4000);
await page.screenshot({ path: out, fullPage: true });
await browser.close();
await server.stop();
