// The state of the page. The server has the truth; this is what the page has heard of it.

import { Fault, call, hasToken, run, stop, upload } from './api';
import { keep, kept } from './kept';
import { t } from './words.svelte';
import type {
  Change, ColumnsView, FaultView, FoundView, JobView, MetricView, ModelView, NodeView, PointView, ProgressView, ReleaseView, RunRequest, SessionView,
  SpaceView,
} from './wire';

/** The way from a table to its release. */
export const steps = ['start', 'columns', 'hierarchies', 'goals', 'solutions', 'compare', 'risk', 'release', 'register'] as const;
/** The same and what lies beside it. */
const views = [...steps, 'policy', 'joint'] as const;
export type View = (typeof views)[number];

/** Work that goes on: shown, and stopped, in one place. */
export type Activity = { kind: string; id: number; progress: ProgressView; since: number };

class App {
  session = $state<SessionView | null>(null);
  job = $state<JobView | null>(null);
  models = $state.raw<ModelView[]>([]);
  metrics = $state.raw<MetricView[]>([]);
  view = $state<View>('start');
  panel = $state(false);
  fault = $state<FaultView | null>(null);
  notice = $state('');
  activities = $state<Activity[]>([]);
  sending = $state<number | null>(null);
  private sent = new AbortController();

  columns = $state.raw<ColumnsView | null>(null);
  found = $state.raw<FoundView | null>(null);
  /** Why there is no solution. */
  unsolved = $state.raw<FaultView | null>(null);
  /** Whether the solution is that of the job as it is now. */
  foundFor = $state('');
  /** The transformation that is looked at; the best one where there is none. */
  selected = $state.raw<NodeView | null>(null);
  pinned = $state.raw<NodeView[]>([]);
  points = $state.raw<PointView[]>([]);
  space = $state.raw<SpaceView | null>(null);
  spaceFor = $state('');
  release = $state.raw<ReleaseView | null>(null);
  notes = $state.raw<string[]>([]);

  /** The views of this program: not every build can answer questions. */
  views = $derived<View[]>(views.filter((view) => view !== 'policy' || this.session?.sql));
  keys = $derived<any>(this.job?.keys ?? {});
  attributes = $derived<any[]>(this.keys?.attributes ?? []);
  valid = $derived(!!this.job && this.job.text !== '' && this.job.problems.length === 0);
  quasi = $derived<string[]>(this.attributes.filter((one) => one.role === 'quasi-identifier').map((one) => one.name));
  node = $derived<NodeView | null>(this.selected ?? this.found?.node ?? null);

  async begin() {
    if (!hasToken) {
      this.fault = fault(t('This page was opened without its key.', 'Diese Seite wurde ohne ihren Schlüssel geöffnet.'),
        t('Open the address that `paravent ui` has printed.', 'Öffnen Sie die Adresse, die `paravent ui` ausgegeben hat.'));
      return;
    }
    const asked = location.hash.slice(1) as View;
    if (views.includes(asked)) this.view = asked;
    addEventListener('hashchange', () => {
      const next = location.hash.slice(1) as View;
      if (views.includes(next)) this.view = next;
    });
    await this.attempt(async () => {
      [this.models, this.metrics] = await Promise.all([call<ModelView[]>('GET', '/models'), call<MetricView[]>('GET', '/metrics')]);
      await this.refresh();
      if (!this.views.includes(this.view)) this.view = 'start';
    });
    // Somebody may change the file with an editor.
    setInterval(() => { if (!document.hidden && this.sending === null) void this.meet(); }, 2000);
  }

  /** What others have changed in the meantime. */
  private async meet() {
    try {
      const job = await call<JobView>('GET', '/job');
      if (job.digest !== this.job?.digest) {
        await this.refresh();
        this.notice = t('The job file was changed outside this page.', 'Die Auftragsdatei wurde außerhalb dieser Seite geändert.');
      }
      if (this.fault?.message === 'unreachable') this.fault = null;
    } catch (error) {
      if (error instanceof Fault && error.view.message === 'unreachable') this.fault = error.view;
    }
  }

  async refresh() {
    this.session = await call<SessionView>('GET', '/session');
    this.take(await call<JobView>('GET', '/job'));
  }

  private take(job: JobView) {
    const first = this.job === null;
    const changed = job.digest !== this.job?.digest;
    if (changed && !first) {
      this.selected = null;
      keep('selected', '');
    }
    this.job = job;
    if (changed) void this.lookAgain();
  }

  /** Transformations that were pinned or chosen, under the job as it is now: after a change of it, and after a reload. */
  private async lookAgain() {
    const digest = this.job?.digest;
    const pinned = JSON.parse(kept('pinned') || '[]') as number[][];
    const selected = JSON.parse(kept('selected') || 'null') as number[] | null;
    if (!this.valid || !this.session?.data || (pinned.length === 0 && selected === null)) return;
    const look = async (levels: number[]) => {
      // The next look at a transformation stops the one before: then it is asked for again.
      for (let tries = 0; tries < 3; tries += 1) {
        try {
          return await this.run<NodeView>({ kind: 'node', levels });
        } catch (error) {
          if (!(error instanceof Fault) || error.view.kind !== 'stopped') return null;
        }
      }
      return null;
    };
    const again: NodeView[] = [];
    for (const levels of pinned) {
      const node = levels.length === this.quasi.length ? await look(levels) : null;
      if (node) again.push(node);
    }
    if (this.job?.digest !== digest) return;
    this.pinned = again;
    if (selected?.length === this.quasi.length && !this.selected) this.selected = await look(selected);
  }

  pin(node: NodeView) {
    this.setPinned([...this.pinned, node].slice(-4));
  }

  setPinned(nodes: NodeView[]) {
    this.pinned = nodes;
    keep('pinned', nodes.length === 0 ? '' : JSON.stringify(nodes.map(levelsOf)));
  }

  /** Back to the best one. */
  unselect() {
    this.selected = null;
    keep('selected', '');
  }

  go(view: View) {
    this.view = view;
    history.pushState(null, '', `#${view}`);
    this.notice = '';
    requestAnimationFrame(() => document.getElementById('title')?.focus());
  }

  /** Does something, and shows what went wrong. */
  async attempt<T>(what: () => Promise<T>): Promise<T | undefined> {
    try {
      this.fault = null;
      return await what();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.view.kind === 'stopped') return undefined;
      this.fault = error.view;
      if (error.status === 409) await this.refresh().catch(() => {});
      return undefined;
    }
  }

  async patch(changes: Change[]) {
    await this.attempt(async () => {
      this.take(await call<JobView>('PATCH', '/job', { changes, digest: this.job?.digest ?? null }));
      this.session = await call<SessionView>('GET', '/session');
    });
  }

  set(path: (string | number)[], value: unknown) {
    return this.patch([{ path, value: value ?? null }]);
  }

  async putText(text: string) {
    return this.attempt(async () => {
      this.take(await call<JobView>('PUT', '/job', { text, digest: this.job?.digest ?? null }));
      this.session = await call<SessionView>('GET', '/session');
      return true;
    });
  }

  async step(back: boolean) {
    if (!(back ? this.job?.can_undo : this.job?.can_redo)) return;
    await this.attempt(async () => this.take(await call<JobView>('POST', back ? '/job/undo' : '/job/redo')));
  }

  /** Runs and shows that it does. */
  async run<T>(request: RunRequest, points: (points: PointView[]) => void = () => {}): Promise<T> {
    let activity: Activity | undefined;
    try {
      const ended = await run(request, (event) => {
        if (event.points.length > 0) points(event.points);
        const progress = event.run.progress;
        if (!activity) {
          activity = { kind: request.kind, id: event.run.id, progress, since: performance.now() };
          this.activities = [...this.activities, activity];
        } else {
          this.activities = this.activities.map((one) => (one.id === activity!.id ? { ...one, progress } : one));
        }
      });
      return ended.result as T;
    } finally {
      this.activities = this.activities.filter((one) => one.id !== activity?.id);
    }
  }

  async stop(id: number) {
    await this.attempt(() => stop(id));
  }

  async drop(file: File) {
    const limit = this.session?.data_limit ?? 0;
    if (file.size > limit) {
      this.fault = fault(t('This table is too large to be dropped.', 'Diese Tabelle ist zum Ablegen zu groß.'),
        t('Name it on the command line instead: paravent ui FILE', 'Nennen Sie sie stattdessen auf der Kommandozeile: paravent ui DATEI'));
      return false;
    }
    this.sending = 0;
    this.sent = new AbortController();
    const session = await this.attempt(() => upload<SessionView>('/data', file, file.name, (share) => (this.sending = share), this.sent.signal));
    this.sending = null;
    if (!session) return false;
    this.session = session;
    this.forget();
    return true;
  }

  stopSending() {
    this.sent.abort();
  }

  forget() {
    this.columns = null;
    this.found = null;
    this.foundFor = '';
    this.unselect();
    this.setPinned([]);
    this.points = [];
    this.spaceFor = '';
    this.release = null;
  }

  /** A first job for the table, and its best release. */
  async propose(k: number) {
    const done = await this.attempt(async () => {
      const proposal = await this.run<{ notes: string[] }>({ kind: 'propose', k });
      this.notes = proposal.notes;
      this.forget();
      await this.refresh();
      return true;
    });
    if (done) {
      this.go('columns');
      void this.solve();
    }
  }

  async demo() {
    const done = await this.attempt(async () => {
      this.session = await call<SessionView>('POST', '/demo');
      this.forget();
      await this.refresh();
      return true;
    });
    if (done) {
      this.go('columns');
      void this.solve();
    }
  }

  async loadColumns() {
    if (this.columns || !this.session?.data) return;
    this.columns = (await this.attempt(() => this.run<ColumnsView>({ kind: 'columns' }))) ?? null;
  }

  /** The best transformation of the job as it is now. */
  async solve() {
    const digest = this.job?.digest ?? '';
    if (!this.valid || !this.session?.data || this.foundFor === digest) return;
    this.foundFor = digest;
    try {
      const found = await this.run<FoundView>({ kind: 'solve' });
      if (this.job?.digest === digest) [this.found, this.unsolved] = [found, null];
    } catch (error) {
      if (!(error instanceof Fault) || this.job?.digest !== digest) return;
      this.found = null;
      this.unsolved = error.view;
      if (error.view.kind === 'stopped') this.foundFor = '';
    }
  }

  /** All transformations, in the background. */
  async explore() {
    const digest = this.job?.digest ?? '';
    if (!this.valid || !this.session?.data || this.spaceFor === digest) return;
    this.spaceFor = digest;
    this.points = [];
    this.space = null;
    const points: PointView[] = [];
    let shown = 0;
    try {
      const space = await this.run<SpaceView>({ kind: 'explore' }, (more) => {
        for (const point of more) points.push(point);
        // The picture grows a few times a second; the page stays free in between.
        if (this.spaceFor !== digest || performance.now() - shown < 250) return;
        shown = performance.now();
        this.points = points.slice();
      });
      if (this.spaceFor === digest) [this.space, this.points] = [space, points];
    } catch (error) {
      if (!(error instanceof Fault) || this.spaceFor !== digest) return;
      // What was seen before somebody stopped it stays.
      this.points = points;
      this.spaceFor = error.view.kind === 'stopped' ? digest : '';
    }
  }

  async select(levels: number[]) {
    const node = await this.attempt(() => this.run<NodeView>({ kind: 'node', levels }));
    if (!node) return;
    this.selected = node;
    keep('selected', JSON.stringify(levels));
  }

  attributeIndex(name: string): number {
    return this.attributes.findIndex((one) => one.name === name);
  }
}

const levelsOf = (node: NodeView) => node.levels.map((one) => one.level);

function fault(message: string, advice: string): FaultView {
  return { kind: 'request', message, advice, problems: [], relaxations: [], complete: null, rules: [] };
}

export const app = new App();
