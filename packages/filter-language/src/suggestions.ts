const MOST = 3;

/** The known names that `name` may have been meant to be, closest first. */
export function suggest(name: string, known: readonly string[]): string[] {
	const wanted = name.toLowerCase();
	const nearest = Math.max(1, Math.floor(wanted.length / 3));
	return known
		.map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
		.filter(({ candidate, distance }) => distance <= nearest || isPartOf(wanted, candidate.toLowerCase()))
		.sort((a, b) => a.distance - b.distance)
		.slice(0, MOST)
		.map(({ candidate }) => candidate);
}

function isPartOf(wanted: string, candidate: string): boolean {
	return wanted.length >= 4 && candidate.includes(wanted);
}

/** Edit distance: insertions, deletions, replacements and swaps of neighbours. */
export function distanceOf(a: string, b: string): number {
	if (Math.abs(a.length - b.length) > 20 || a.length > 60) return Number.POSITIVE_INFINITY;
	let beforePrevious: number[] = [];
	let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (let row = 1; row <= a.length; row += 1) {
		const current = [row];
		for (let column = 1; column <= b.length; column += 1) {
			const same = a[row - 1] === b[column - 1];
			let best = Math.min(
				(previous[column] ?? 0) + 1,
				(current[column - 1] ?? 0) + 1,
				(previous[column - 1] ?? 0) + (same ? 0 : 1),
			);
			if (a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
				best = Math.min(best, (beforePrevious[column - 2] ?? Number.POSITIVE_INFINITY) + 1);
			current.push(best);
		}
		beforePrevious = previous;
		previous = current;
	}
	return previous[b.length] ?? 0;
}
