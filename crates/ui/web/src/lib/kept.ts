// What survives a reload in this tab, and no longer than the tab.

export function kept(key: string): string {
  return sessionStorage.getItem(`paravent-${key}`) ?? '';
}

export function keep(key: string, value: string) {
  if (value === '') sessionStorage.removeItem(`paravent-${key}`);
  else sessionStorage.setItem(`paravent-${key}`, value);
}
