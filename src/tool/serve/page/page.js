// The page of `admission serve`: logs in, opens and closes streams, and shows what becomes of
// them. What it knows comes from its streams' own events and from /stats, nothing from guessing.
'use strict';

const SAMPLES = 60;
const LOG_LINES = 200;
// Over HTTP/1.1 a browser has six connections to a server: a seventh stream would never begin,
// and with six open no other request would be answered.
const MAX_OPEN_HERE = 5;

const $ = (id) => document.getElementById(id);
const streams = new Map();
let me = null;
let tokens = new Map();
let opened = 0;
let published = 0;
let stats = null;
let samples = [];

function log(text) {
  const line = document.createElement('li');
  const time = document.createElement('time');
  time.textContent = new Date().toLocaleTimeString([], { hour12: false });
  const words = document.createElement('span');
  words.textContent = text;
  line.append(time, words);
  $('log').prepend(line);
  while ($('log').children.length > LOG_LINES) {
    $('log').lastChild.remove();
  }
}

// A request that never hangs: with all connections taken it would.
function ask(path, options = {}) {
  return fetch(path, { signal: AbortSignal.timeout(3000), cache: 'no-store', ...options });
}

// ---- Streams

function isOpen(stream) {
  return stream.state === 'connecting' || stream.state === 'live' || stream.state === 'reconnecting';
}

function openHere() {
  return [...streams.values()].filter(isOpen).length;
}

function show(stream) {
  stream.item.dataset.state = stream.state;
  stream.item.dataset.ref = stream.ref ?? '';
  stream.item.dataset.es = stream.source.readyState;
  stream.name.textContent = stream.ref === undefined ? 'stream' : `ref ${stream.ref}`;
  stream.pill.textContent = stream.state;
  stream.heard.textContent = `${stream.n} received` + (stream.last ? `, last: ${stream.last}` : '');
  stream.close.hidden = !isOpen(stream);
  stream.close.setAttribute('aria-label', `Close ${stream.name.textContent}`);
}

function enter(stream, state) {
  stream.state = state;
  show(stream);
  showControls();
}

function makeItem(stream) {
  stream.item = document.createElement('li');
  stream.item.dataset.n = stream.number;
  stream.name = document.createElement('b');
  stream.pill = document.createElement('span');
  stream.pill.className = 'state';
  stream.heard = document.createElement('span');
  stream.heard.className = 'heard';
  stream.close = document.createElement('button');
  stream.close.className = 'quiet';
  stream.close.textContent = 'Close';
  stream.close.addEventListener('click', () => closeStream(stream));
  stream.item.append(stream.name, stream.pill, stream.heard, stream.close);
  $('streams').append(stream.item);
}

function closeStream(stream) {
  stream.source.close();
  log(`ref ${stream.ref ?? '?'} closed by you`);
  enter(stream, 'closed');
  $('open').focus();
  readStats();
}

function hearAdmitted(stream, event) {
  const word = JSON.parse(event.data);
  stream.ref = word.ref;
  log(`ref ${word.ref} admitted as number ${word.order + 1}`);
  enter(stream, 'live');
  readStats();
}

// The last event. The browser would come back after it, and be told that there is nothing more.
function hearEnd(stream, event) {
  const word = JSON.parse(event.data);
  stream.source.close();
  log(word.reason === 'superseded' ? `ref ${word.ref} superseded: a newer stream needed its place`
    : `ref ${word.ref} ended: the server is closing`);
  enter(stream, word.reason);
  readStats();
}

function openStream() {
  const stream = { number: ++opened, state: 'connecting', n: 0, source: new EventSource('/listen') };
  streams.set(stream.number, stream);
  makeItem(stream);
  enter(stream, 'connecting');
  stream.source.addEventListener('admitted', (event) => hearAdmitted(stream, event));
  stream.source.addEventListener('superseded', (event) => hearEnd(stream, event));
  stream.source.addEventListener('shutdown', (event) => hearEnd(stream, event));
  stream.source.addEventListener('message', (event) => {
    const { topic, body } = JSON.parse(event.data);
    stream.n++;
    stream.last = `${topic}: ${body ?? 'bytes'}`;
    show(stream);
  });
  stream.source.addEventListener('error', () => {
    if (isOpen(stream)) {
      const isOver = stream.source.readyState === EventSource.CLOSED;
      enter(stream, isOver ? 'refused' : 'reconnecting');
    }
  });
}

function closeAll() {
  for (const stream of streams.values()) {
    if (isOpen(stream)) {
      stream.source.close();
      enter(stream, 'closed');
    }
  }
}

// ---- Who

async function logIn(event) {
  event.preventDefault();
  const token = tokens.size > 0 ? tokens.get($('principal').value) : $('token').value.trim();
  const answer = await ask('/login', { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    .catch(() => null);
  if (!answer?.ok) {
    $('whoami').textContent = 'That token is not known.';
    return;
  }
  closeAll();
  me = (await answer.json()).principal;
  samples = [];
  stats = null;
  $('token').value = '';
  log(`logged in as ${me}`);
  await readStats();
  $('open').focus();
}

async function logOut() {
  closeAll();
  await ask('/logout', { method: 'POST' }).catch(() => null);
  me = null;
  log('logged out');
  showControls();
}

function showControls() {
  const isFull = openHere() >= MAX_OPEN_HERE;
  $('open').disabled = me === null || isFull;
  $('open').title = isFull ? 'A browser has six connections; one is kept for the page itself.' : '';
  $('publish').disabled = me === null;
  $('logout').hidden = me === null;
  $('whoami').textContent = me === null ? 'Not logged in.' : `You are ${me}.`;
}

async function publish() {
  const body = `change ${++published} by ${me}`;
  const answer = await ask('/publish?topic=changes', { method: 'POST', body }).catch(() => null);
  log(answer?.ok ? `published: ${body}` : 'could not publish');
}

// ---- Figures

function showStats() {
  const live = stats.live[stats.principal].length;
  $('live').textContent = live;
  $('max').textContent = stats.max;
  for (const name of ['admitted', 'superseded', 'left']) {
    $(name).textContent = stats[name];
  }
  const meter = $('meter');
  meter.setAttribute('aria-valuemax', stats.max);
  meter.setAttribute('aria-valuenow', live);
  meter.setAttribute('aria-valuetext', `${live} of ${stats.max} live`);
  const n = Math.min(stats.max, 24);
  while ($('slots').children.length !== n) {
    if ($('slots').children.length < n) {
      $('slots').append(document.createElement('i'));
    } else {
      $('slots').lastChild.remove();
    }
  }
  [...$('slots').children].forEach((slot, i) => {
    slot.classList.toggle('full', i < Math.ceil(live * n / stats.max));
  });
}

async function readStats() {
  const answer = await ask('/stats').catch(() => null);
  if (answer?.ok) {
    stats = await answer.json();
    me = stats.principal;
    showStats();
  }
  showControls();
}

function svg(name, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) {
    node.setAttribute(key, value);
  }
  node.textContent = text ?? '';
  return node;
}

function drawPlot() {
  const plot = $('plot');
  const [left, right, top, bottom] = [22, 354, 10, 132];
  const most = Math.max(stats.max, ...samples.map((one) => Math.max(one.live, one.came, one.went)), 1);
  const x = (i) => right - (samples.length - 1 - i) * (right - left) / (SAMPLES - 1);
  const y = (value) => bottom - value / most * (bottom - top);
  const nodes = [
    svg('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }),
    svg('line', { class: 'cap', x1: left, x2: right, y1: y(stats.max), y2: y(stats.max) }),
    svg('text', { x: left - 6, y: y(stats.max) + 3, 'text-anchor': 'end' }, stats.max),
    svg('text', { x: left - 6, y: bottom + 3, 'text-anchor': 'end' }, 0),
    svg('text', { x: left, y: bottom + 14 }, 'a minute ago'),
    svg('text', { x: right, y: bottom + 14, 'text-anchor': 'end' }, 'now'),
  ];
  let path = `M${x(0)},${y(samples[0].live)}`;
  samples.slice(1).forEach((one, i) => { path += `H${x(i + 1)}V${y(one.live)}`; });
  nodes.push(svg('path', { class: 'area', d: `${path}V${bottom}H${x(0)}Z` }));
  samples.forEach((one, i) => {
    nodes.push(svg('rect', { class: 'came', x: x(i) - 4.5, width: 3, y: y(one.came), height: bottom - y(one.came) }));
    nodes.push(svg('rect', { class: 'went', x: x(i) - 1, width: 3, y: y(one.went), height: bottom - y(one.went) }));
  });
  nodes.push(svg('path', { class: 'line', d: path }));
  plot.replaceChildren(...nodes);
  const sum = (name) => samples.reduce((all, one) => all + one[name], 0);
  plot.setAttribute('aria-label', `In the last minute: ${sum('came')} admitted, ${sum('went')} superseded; `
    + `now ${samples.at(-1).live} of ${stats.max} live.`);
}

let before = null;

async function tick() {
  if (me !== null) {
    await readStats();
  }
  if (me !== null && stats !== null) {
    const { admitted, superseded } = stats;
    samples.push({
      live: stats.live[stats.principal].length,
      came: before ? admitted - before.admitted : 0,
      went: before ? superseded - before.superseded : 0,
    });
    samples = samples.slice(-SAMPLES);
    before = { admitted, superseded };
    drawPlot();
  }
  setTimeout(tick, 1000);
}

async function begin() {
  $('login').addEventListener('submit', logIn);
  $('logout').addEventListener('click', logOut);
  $('open').addEventListener('click', openStream);
  $('publish').addEventListener('click', publish);
  const answer = await ask('/demo').catch(() => null);
  if (answer?.ok) {
    for (const { principal, token } of await answer.json()) {
      tokens.set(principal, token);
      $('principal').append(new Option(principal));
    }
    $('principal-field').hidden = false;
    $('token-field').hidden = true;
    $('token').required = false;
  }
  const token = tokens.size > 0 ? tokens.values().next().value : 'TOKEN';
  $('curl').textContent = `curl -N -H 'Authorization: Bearer ${token}' ${location.origin}/listen`;
  await readStats();
  tick();
}

begin();
