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
let stats = null; // null: not told
let samples = []; // one a second; null: there was no answer
let before = null;
let session = 0; // what was asked in an earlier one is not heard any more

function say(id, text) {
  if ($(id).textContent !== text) {
    $(id).textContent = text;
  }
}

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
  stream.item.dataset.order = stream.order ?? '';
  stream.item.dataset.es = stream.source.readyState;
  stream.name.textContent = stream.ref === undefined ? 'stream'
    : `ref ${stream.ref}, number ${stream.order + 1}`;
  stream.pill.textContent = stream.state;
  stream.heard.textContent = `${stream.n} received` + (stream.last ? `, last: ${stream.last}` : '');
  stream.close.hidden = !isOpen(stream);
  stream.close.setAttribute('aria-label', `Close ref ${stream.ref ?? '?'}`);
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

// Oldest first: one that came back is the youngest, and those without a number are still to come.
function place(stream) {
  const next = [...streams.values()].find((other) => other !== stream
    && (other.order ?? Infinity) > stream.order)?.item ?? null;
  if (stream.item.nextElementSibling !== next) {
    $('streams').insertBefore(stream.item, next);
  }
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
  stream.order = word.order;
  place(stream);
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
  stream.source.addEventListener('open', () => show(stream));
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

// Nothing of one principal is left on the page for another.
function forget() {
  closeAll();
  session++;
  me = null;
  streams.clear();
  opened = 0;
  published = 0;
  samples = [];
  before = null;
  $('streams').replaceChildren();
  $('log').replaceChildren();
  clearStats('');
}

async function logIn(event) {
  event.preventDefault();
  const token = tokens.size > 0 ? tokens.get($('principal').value) : $('token').value.trim();
  say('wrong', '');
  const answer = await ask('/login', { method: 'POST', headers: { authorization: `Bearer ${token}` } })
    .catch(() => null);
  if (!answer?.ok) {
    say('wrong', answer === null ? 'The server does not answer.'
      : answer.status === 401 ? 'That token is not known.' : `The server says ${answer.status}.`);
    return;
  }
  forget();
  me = (await answer.json()).principal;
  $('token').value = '';
  log(`logged in as ${me}`);
  await readStats();
  $('open').focus();
}

async function logOut() {
  const answer = await ask('/logout', { method: 'POST' }).catch(() => null);
  if (!answer?.ok) {
    say('wrong', 'The server does not answer: you are still logged in.');
    return;
  }
  forget();
  say('wrong', '');
  log('logged out');
  showControls();
}

function showControls() {
  const isFull = openHere() >= MAX_OPEN_HERE;
  $('open').disabled = me === null || isFull;
  $('open').title = isFull ? 'A browser has six connections; one is kept for the page itself.' : '';
  $('publish').disabled = me === null;
  $('logout').hidden = me === null;
  say('whoami', me === null ? 'Not logged in.' : `You are ${me}.`);
  say('curl', `curl -N -H 'Authorization: Bearer ${tokens.get(me) ?? 'TOKEN'}' ${location.origin}/listen`);
}

async function publish() {
  const body = `change ${++published} by ${me}`;
  const answer = await ask('/publish?topic=changes', { method: 'POST', body }).catch(() => null);
  log(answer?.ok ? `published: ${body}` : 'could not publish');
}

// ---- Figures

function showMeter(live, max, text) {
  const meter = $('meter');
  meter.setAttribute('aria-valuemax', max);
  meter.setAttribute('aria-valuenow', live);
  meter.setAttribute('aria-valuetext', text);
  const n = Math.min(max, 24);
  while ($('slots').children.length !== n) {
    if ($('slots').children.length < n) {
      $('slots').append(document.createElement('i'));
    } else {
      $('slots').lastChild.remove();
    }
  }
  [...$('slots').children].forEach((slot, i) => {
    slot.classList.toggle('full', i < Math.ceil(live * n / max));
  });
}

function showStats() {
  const live = stats.live[stats.principal].length;
  say('live', String(live));
  for (const name of ['max', 'admitted', 'superseded', 'left']) {
    say(name, String(stats[name]));
  }
  say('silence', '');
  showMeter(live, stats.max, `${live} of ${stats.max} live`);
}

function clearStats(why) {
  stats = null;
  for (const name of ['live', 'max', 'admitted', 'superseded', 'left']) {
    say(name, '–');
  }
  say('silence', why);
  showMeter(0, 0, why === '' ? 'not logged in' : 'no answer');
  drawPlot();
}

// The cookie is all tabs': another one may have logged in or out.
async function readStats() {
  const asked = session;
  const answer = await ask('/stats').catch(() => null);
  const told = answer?.ok ? await answer.json().catch(() => null) : null;
  if (asked !== session) {
    return;
  }
  if (told !== null) {
    if (me !== null && me !== told.principal) {
      forget();
      log(`logged in as ${told.principal} in another tab`);
    }
    stats = told;
    me = told.principal;
    showStats();
  } else if (answer?.status === 401) {
    if (me !== null) {
      forget();
      log('no longer logged in');
    }
  } else {
    clearStats('No answer from the server.');
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

// The level of each second that was told of, as a step; a silence is a gap.
function stepsOf(x, y, bottom) {
  let line = '';
  let area = '';
  samples.forEach((one, i) => {
    if (one !== null) {
      line += samples[i - 1] ? `H${x(i)}V${y(one.live)}` : `M${x(i)},${y(one.live)}`;
      area += samples[i + 1] ? `M${x(i)},${bottom}V${y(one.live)}H${x(i + 1)}V${bottom}Z` : '';
    }
  });
  return { line, area };
}

function drawPlot() {
  const plot = $('plot');
  const told = samples.filter((one) => one !== null);
  if (told.length === 0) {
    plot.replaceChildren();
    plot.setAttribute('aria-label', 'No figures yet.');
    return;
  }
  const [left, right, top, bottom] = [22, 354, 10, 132];
  const { live, max } = told.at(-1);
  const most = Math.max(max, ...told.map((one) => Math.max(one.live, one.came, one.went)), 1);
  const x = (i) => right - (samples.length - 1 - i) * (right - left) / (SAMPLES - 1);
  const y = (value) => bottom - value / most * (bottom - top);
  const { line, area } = stepsOf(x, y, bottom);
  const bar = (name, i, value, shift) => svg('rect',
    { class: name, x: x(i) + shift, width: 3, y: y(value), height: bottom - y(value) });
  plot.replaceChildren(
    svg('line', { class: 'axis', x1: left, x2: right, y1: bottom, y2: bottom }),
    svg('line', { class: 'cap', x1: left, x2: right, y1: y(max), y2: y(max) }),
    svg('text', { x: left - 6, y: y(max) + 3, 'text-anchor': 'end' }, max),
    svg('text', { x: left - 6, y: bottom + 3, 'text-anchor': 'end' }, 0),
    svg('text', { x: left, y: bottom + 14 }, 'a minute ago'),
    svg('text', { x: right, y: bottom + 14, 'text-anchor': 'end' }, 'now'),
    svg('path', { class: 'area', d: area }),
    ...samples.flatMap((one, i) => (one === null ? []
      : [bar('came', i, one.came, -4.5), bar('went', i, one.went, -1)])),
    svg('path', { class: 'line', d: line }),
  );
  const sum = (name) => told.reduce((all, one) => all + one[name], 0);
  plot.setAttribute('aria-label', `In the last minute: ${sum('came')} admitted and ${sum('went')} superseded, `
    + `of all principals; ${samples.at(-1) === null ? 'last told' : 'now'} ${live} of ${max} live, yours.`);
}

function sample() {
  if (stats === null) {
    samples.push(null);
  } else {
    const { max, admitted, superseded } = stats;
    samples.push({
      max,
      live: stats.live[stats.principal].length,
      came: before ? admitted - before.admitted : 0,
      went: before ? superseded - before.superseded : 0,
    });
    before = { admitted, superseded };
  }
  samples = samples.slice(-SAMPLES);
  drawPlot();
}

async function tick() {
  if (me !== null) {
    await readStats();
  }
  if (me !== null) {
    sample();
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
  await readStats();
  tick();
}

begin();
