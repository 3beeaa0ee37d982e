import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'me', version: '1.0.0' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
client.setNotificationHandler('notifications/resources/updated', async ({ params: { uri } }) => {
  const { contents } = await client.readResource({ uri });
  console.log(uri, '-', contents[0].text);
});
const url = new URL(process.argv[2] ?? 'http://127.0.0.1:8080/mcp');
const headers = { authorization: 'Bearer demo-alice' };
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
const subscription = await client.listen({ resourceSubscriptions: ['topic:clock'] });
console.log('ended:', await subscription.closed);
