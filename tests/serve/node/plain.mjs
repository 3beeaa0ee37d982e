// The same behaviour in plain Node, to measure beside: POST /mcp subscriptions/listen with the
// cap of a principal, its oldest stream ended with its result. Prints its port.
import { createServer } from 'node:http';

const MAX = 3;
const SUB = 'io.modelcontextprotocol/subscriptionId';
const META = 'io.modelcontextprotocol/protocolVersion';
const principals = new Map([['alice-token', 'alice'], ['bob-token', 'bob']]);
const live = new Map();

const frame = (message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

function end(stream) {
  stream.response.end(frame({ jsonrpc: '2.0', id: stream.id, result: {
    resultType: 'complete', _meta: { [SUB]: stream.id } } }));
}

function listen(principal, id, notifications, response) {
  const streams = live.get(principal) ?? live.set(principal, []).get(principal);
  const stream = { id, response };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'connection': 'close',
    'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
  response.write(frame({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { [SUB]: id }, notifications } }));
  streams.push(stream);
  while (streams.length > MAX) {
    end(streams.shift());
  }
  response.on('close', () => {
    const at = streams.indexOf(stream);
    if (at !== -1) {
      streams.splice(at, 1);
    }
  });
}

function answer(request, response, body) {
  const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1];
  const principal = principals.get(token);
  if (principal === undefined) {
    response.writeHead(401).end();
    return;
  }
  const { id, method, params } = JSON.parse(body);
  if (request.headers['mcp-protocol-version'] !== params._meta[META]
      || request.headers['mcp-method'] !== method || method !== 'subscriptions/listen') {
    response.writeHead(400).end();
    return;
  }
  listen(principal, id, params.notifications, response);
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (data) => { body += data; });
  request.on('end', () => answer(request, response, body));
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
