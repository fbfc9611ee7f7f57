// Two languages, side by side where they are used: t('Columns', 'Spalten').

export type Language = 'en' | 'de';
export type Theme = 'auto' | 'light' | 'dark';

function stored<T extends string>(key: string, allowed: readonly T[], otherwise: T): T {
  const found = localStorage.getItem(key) as T | null;
  return found && allowed.includes(found) ? found : otherwise;
}

class Settings {
  language = $state<Language>(stored('language', ['en', 'de'], navigator.language.startsWith('de') ? 'de' : 'en'));
  theme = $state<Theme>(stored('theme', ['auto', 'light', 'dark'], 'auto'));

  setLanguage(language: Language) {
    this.language = language;
    localStorage.setItem('language', language);
    document.documentElement.lang = language;
  }

  setTheme(theme: Theme) {
    this.theme = theme;
    localStorage.setItem('theme', theme);
    document.documentElement.dataset.theme = theme;
  }
}

export const settings = new Settings();
settings.setLanguage(settings.language);
settings.setTheme(settings.theme);

export function t(english: string, german: string): string {
  return settings.language === 'de' ? german : english;
}

/** Formats by language and options: making one takes longer than a hundred uses of it. */
const formats = new Map<string, Intl.NumberFormat>();

function format(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${settings.language} ${JSON.stringify(options)}`;
  let known = formats.get(key);
  if (!known) formats.set(key, (known = new Intl.NumberFormat(settings.language, options)));
  return known;
}

export function number(value: number, digits = 0): string {
  return format({ maximumFractionDigits: digits }).format(value);
}

/** 0.0314 as 3.14 % */
export function percent(share: number, digits = 1): string {
  return format({ style: 'percent', maximumFractionDigits: digits }).format(share);
}

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let unit = 0;
  let value = count;
  while (value >= 1000 && unit < 3) [value, unit] = [value / 1000, unit + 1];
  return `${number(value, unit === 0 ? 0 : 1)} ${units[unit]}`;
}

/** A figure with as many digits as it needs. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return number(value);
  return format({ maximumSignificantDigits: 4 }).format(value);
}

/** A time of the server, as people read it. */
export function time(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleString(settings.language);
}

export const roles = ['identifying', 'quasi-identifier', 'sensitive', 'insensitive'] as const;
export type Role = (typeof roles)[number];

export function roleName(role: string): string {
  switch (role) {
    case 'identifying': return t('identifying', 'identifizierend');
    case 'quasi-identifier': return t('quasi-identifier', 'Quasi-Identifikator');
    case 'sensitive': return t('sensitive', 'sensibel');
    case 'insensitive': return t('insensitive', 'unkritisch');
    default: return t('left out', 'weggelassen');
  }
}

export function roleMeaning(role: string): string {
  switch (role) {
    case 'identifying': return t('names a person; dropped', 'nennt eine Person; wird entfernt');
    case 'quasi-identifier': return t('names a person together with others; generalized', 'nennt zusammen mit anderen eine Person; wird vergröbert');
    case 'sensitive': return t('must not be learnt about a person; kept and guarded', 'darf über niemanden bekannt werden; bleibt und wird geschützt');
    case 'insensitive': return t('harmless; kept as it is', 'harmlos; bleibt wie es ist');
    default: return t('not in the job, so not in the release', 'nicht im Auftrag, also nicht in der Freigabe');
  }
}

export function phaseName(phase: string): string {
  if (settings.language === 'en') return phase;
  const german: Record<string, string> = {
    'reading the table': 'Tabelle wird gelesen', 'reading the population': 'Grundgesamtheit wird gelesen', 'counting people': 'Personen werden gezählt',
    searching: 'Suche läuft', recoding: 'wird umkodiert', writing: 'wird geschrieben', verifying: 'wird geprüft', measuring: 'wird gemessen', attacking: 'Angriffe laufen',
  };
  return german[phase] ?? phase;
}
