/**
 * How many of the parts that have arrived are drawn: the tree is built anew each time, so while a huge trace loads it is
 * only drawn when it has grown by half. The total work stays proportional to the trace.
 */
export function renderedParts(arrived: number, complete: boolean): number {
	if (complete || arrived <= 3) return arrived;
	let drawn = 3;
	while (Math.ceil(drawn * 1.5) <= arrived) drawn = Math.ceil(drawn * 1.5);
	return drawn;
}
