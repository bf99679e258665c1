/** A filter takes too long for a single item of a list. */
export class ConditionTooSlow extends Error {
	override readonly name = "ConditionTooSlow";

	constructor() {
		super("The filter takes too long; ask for less in any(…), all(…), sum(…), max(…), min(…) or len(…).");
	}
}
