/**
 * How many of the loaded parts are rendered. The tree is rebuilt each time, so while a huge trace loads, it is rendered
 * only when it has doubled; this keeps the total work proportional to the size of the trace.
 */
export function renderedParts(arrived: number, complete: boolean): number {
	if (complete || arrived <= 3) return arrived;
	let drawn = 3;
	while (drawn * 2 <= arrived) drawn *= 2;
	return drawn;
}
