/**
 * Whether the name of a project fits the pattern of a rule: `*` stands for any characters, also none, everything else
 * for itself. Takes time proportional to the product of both lengths at most.
 */
export function fitsPattern(name: string, pattern: string): boolean {
	const [first = "", ...rest] = pattern.split("*");
	const last = rest.pop();
	if (last === undefined) return name === first;
	if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
	const end = name.length - last.length;
	let at = first.length;
	for (const part of rest) {
		const found = name.indexOf(part, at);
		if (found === -1 || found + part.length > end) return false;
		at = found + part.length;
	}
	return true;
}
