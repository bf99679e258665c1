export interface DiffLine {
	readonly kind: "equal" | "added" | "removed";
	readonly text: string;
}

/** Equal lines shown around a change. */
const AROUND = 3;

/** Splits lines into parts, of which long equal ones are folded. */
export function foldEqual<Line extends DiffLine>(
	lines: readonly Line[],
): { readonly lines: readonly Line[]; readonly isFolded: boolean }[] {
	const isNear = lines.map((_, index) =>
		lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== "equal"),
	);
	const parts: { lines: Line[]; isFolded: boolean }[] = [];
	lines.forEach((line, index) => {
		const isFolded = !isNear[index];
		const last = parts.at(-1);
		if (last?.isFolded === isFolded) last.lines.push(line);
		else parts.push({ lines: [line], isFolded });
	});
	// One folded line takes as much room as the line itself.
	return parts.map((part) => (part.lines.length === 1 ? { ...part, isFolded: false } : part));
}

/** Pairs of lines: removed ones on the left, added ones beside them on the right. */
export function sideBySide<Line extends DiffLine>(lines: readonly Line[]): [Line | undefined, Line | undefined][] {
	const rows: [Line | undefined, Line | undefined][] = [];
	let removed: Line[] = [];
	let added: Line[] = [];
	const flush = () => {
		for (let at = 0; at < Math.max(removed.length, added.length); at += 1) rows.push([removed[at], added[at]]);
		[removed, added] = [[], []];
	};
	for (const line of lines) {
		if (line.kind === "removed") removed.push(line);
		else if (line.kind === "added") added.push(line);
		else {
			flush();
			rows.push([line, line]);
		}
	}
	flush();
	return rows;
}
