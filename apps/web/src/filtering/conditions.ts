/** A string literal of the filter language. */
export function quoted(value: string): string {
	return /['\\\p{Cc}]/u.test(value) ? JSON.stringify(value) : `'${value}'`;
}

/** Adds a condition to a filter. */
export function withCondition(filter: string | undefined, condition: string): string {
	if (filter === undefined || filter === condition) return condition;
	if (hasOr(filter)) return `(${filter}) and ${condition}`;
	return without(filter, condition) === filter ? `${filter} and ${condition}` : filter;
}

/** Removes a condition from a filter, if it is one of several joined by `and`. */
export function withoutCondition(filter: string | undefined, condition: string): string | undefined {
	if (filter === undefined || filter === condition) return undefined;
	return hasOr(filter) ? filter : without(filter, condition);
}

function without(filter: string, condition: string): string {
	const and = ` and ${condition}`;
	if (filter.endsWith(and)) return filter.slice(0, -and.length);
	if (filter.startsWith(`${condition} and `)) return filter.slice(condition.length + 5);
	const at = filter.indexOf(`${and} and `);
	return at < 0 ? filter : filter.slice(0, at) + filter.slice(at + and.length);
}

/** Whether there is an `or` outside quotes and brackets. */
function hasOr(filter: string): boolean {
	let plain = filter.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs, "");
	for (let before = ""; before !== plain; ) {
		before = plain;
		plain = plain.replace(/\([^()]*\)|\[[^[\]]*\]/g, "");
	}
	return /\bor\b/.test(plain);
}
