/** Names of the buttons that have an evaluator judge something; apart, since their pages need no other words of evaluators. */
export const evaluateText = {
	span: "Evaluate",
	trace: "Evaluate the trace",
	session: "Evaluate",
	run: "Evaluate this run",
} as const;
