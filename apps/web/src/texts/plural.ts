const rules = new Intl.PluralRules("en");
const numbers = new Intl.NumberFormat("en");

/** `1 trace`, `12 traces`: the number and the right form of the noun. */
export function counted(count: number, one: string, other: string): string {
	return `${numbers.format(count)} ${rules.select(count) === "one" ? one : other}`;
}
