// Requests to the server. The token comes in the fragment of the first address, leaves it at once, and goes out in a header only.

import type { FaultView, RunEvent, RunRequest, RunView, Started } from './wire';

const KEY = 'paravent-token';

function takeToken(): string {
  const found = /^#t=([0-9a-f]{64})$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEY, found[1]);
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? '';
}

const token = takeToken();
export const hasToken = token !== '';

/** What went wrong, as the server says it. */
export class Fault extends Error {
  constructor(readonly view: FaultView, readonly status = 0) {
    super(view.message);
  }
}

const unreachable: FaultView = {
  kind: 'internal', message: 'unreachable', advice: null, problems: [], relaxations: [], complete: null, rules: [],
};

async function send(method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(`/api/v1${path}`, {
      method, body, headers: { Authorization: `Bearer ${token}`, ...headers }, cache: 'no-store', credentials: 'omit',
    });
  } catch {
    throw new Fault(unreachable);
  }
  if (answer.ok) return answer;
  let view: FaultView;
  try {
    view = await answer.json();
  } catch {
    view = { ...unreachable, kind: 'request', message: answer.status === 401 ? 'unauthorized' : answer.statusText };
  }
  throw new Fault(view, answer.status);
}

export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await send(method, path, text, text === undefined ? {} : { 'Content-Type': 'application/json' });
  return answer.status === 204 ? (undefined as T) : await answer.json();
}

/** Sends a file; `progress` hears the share that has left, and `signal` stops it. */
export function upload<T>(path: string, file: Blob, name: string, progress: (share: number) => void, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', `/api/v1${path}`);
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.setRequestHeader('X-File-Name', encodeURIComponent(name));
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onerror = () => reject(new Fault(unreachable));
    request.onabort = () => reject(new Fault({ ...unreachable, kind: 'stopped', message: 'stopped' }));
    signal?.addEventListener('abort', () => request.abort());
    request.onload = () => {
      try {
        const view = JSON.parse(request.responseText);
        if (request.status < 300) resolve(view);
        else reject(new Fault(view, request.status));
      } catch {
        reject(new Fault(unreachable, request.status));
      }
    };
    request.send(file);
  });
}

export async function download(path: string): Promise<Blob> {
  return (await send('GET', path)).blob();
}

/** Starts a run, tells of its events, and gives its end. */
export async function run(request: RunRequest, hear: (event: RunEvent) => void = () => {}): Promise<RunView> {
  const { id } = await call<Started>('POST', '/runs', request);
  const answer = await send('GET', `/runs/${id}/events`);
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let last: RunView | undefined;
  for (;;) {
    const { done, value } = await reader.read();
    rest += value ?? '';
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') continue;
      const event: RunEvent = JSON.parse(line);
      last = event.run;
      hear(event);
    }
    if (done) break;
  }
  if (last === undefined || last.state === 'running') throw new Fault(unreachable);
  if (last.fault) throw new Fault(last.fault);
  return last;
}

export function stop(id: number): Promise<unknown> {
  return call('DELETE', `/runs/${id}`);
}
