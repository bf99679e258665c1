/** The states of items of review queues. */
export const reviewStates = {
	pending: "Pending",
	in_review: "In review",
	disagreement: "Disagreement",
	done: "Done",
	removed: "Removed",
};
