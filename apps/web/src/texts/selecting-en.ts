import { counted } from "./plural.ts";

export type SelectedKind = "trace" | "span" | "session";

/** What a review queue is about. */
export type ReviewedKind = SelectedKind | "experiment_run";

const NOUNS: Readonly<Record<ReviewedKind, readonly [one: string, other: string]>> = {
	trace: ["trace", "traces"],
	span: ["span", "spans"],
	session: ["session", "sessions"],
	experiment_run: ["run", "runs"],
};

function items(kind: ReviewedKind, count: number): string {
	return counted(count, ...NOUNS[kind]);
}

const DOING = {
	delete: "Deleting",
	move: "Moving",
	annotate: "Annotating",
	add_to_dataset: "Adding to a dataset:",
	add_to_review_queue: "Adding to a review queue:",
};
const DONE = {
	delete: "Deleted",
	move: "Moved",
	annotate: "Annotated",
	add_to_dataset: "Added to a dataset:",
	add_to_review_queue: "Added to a review queue:",
};

/** Texts of the selection in lists, and of what is done with it. */
export const selectingTexts = {
	bar: "Selection",
	selected: (kind: SelectedKind, count: number) => `${items(kind, count)} selected`,
	allSelected: (kind: SelectedKind, count: string) => `All ${count} ${NOUNS[kind][1]} that fit are selected`,
	counting: "…",
	selectAll: "Select all that fit",
	clear: "Clear the selection",
	tooMany: "More than 1,000 rows: select all that fit a filter instead.",
	moreThan: (count: string) => `more than ${count}`,

	action: {
		dataset: "Add to a dataset",
		annotate: "Annotate",
		review: "Add to review queue",
		move: "Move",
		delete: "Delete",
		download: "Download",
		more: "Actions on this trace",
	},
	format: { otlp: "OTLP (JSON)", ndjson: "JSON lines", csv: "CSV" },

	review: {
		title: "Add to a review queue",
		explain:
			"People answer the questions of the queue about each of them. What is in the queue already stays as it is.",
		queue: "Queue",
		priority: "Priority",
		priorityHint: "The highest come first.",
		added: (kind: ReviewedKind, queue: string, added: number, present: number) =>
			present === 0
				? `Added ${items(kind, added)} to ${queue}.`
				: `Added ${items(kind, added)} to ${queue}; ${items(kind, present)} ${present === 1 ? "was" : "were"} in it already.`,
		open: "Open the queue",
		none: (kind: ReviewedKind) => `There is no open review queue of ${NOUNS[kind][1]}.`,
		create: "New review queue",
	},
	delete: {
		title: (kind: SelectedKind) => `Delete ${NOUNS[kind][1]}`,
		text: (kind: SelectedKind, count: number) => `${items(kind, count)} will be deleted for good, and with them:`,
		spans: (n: number) => counted(n, "span", "spans"),
		traces: (n: number) => counted(n, "trace", "traces"),
		annotations: (n: number) => counted(n, "annotation", "annotations"),
		logRecords: (n: number) => counted(n, "log record", "log records"),
		nothing: "nothing else",
		stays: "Examples in datasets, experiments and prompts stay.",
		children: "The children of a deleted span stay.",
		incomplete: "Counting took too long: there is more than this.",
	},
	move: {
		title: "Move traces to another project",
		project: "Project",
		explain:
			"Sessions and annotations move with their traces. Where the project has a trace of the same id, they are merged.",
		choose: "Choose a project",
	},
	annotate: {
		title: (kind: SelectedKind, count: string) => `Annotate ${count} ${NOUNS[kind][1]}`,
		name: "Name",
		label: "Label",
		score: "Score",
		explanation: "Explanation",
		replaces: "An annotation of yours with this name is replaced.",
		missing: "Give a label, a score or an explanation.",
		noNumber: "This is no number.",
	},
	dataset: {
		title: "Add to a dataset",
		explain: { span: "Each span becomes an example.", trace: "The root span of each trace becomes an example." },
		dataset: "Dataset",
		fresh: "A new dataset",
		choose: "Choose a dataset…",
		name: "Its name",
		split: "Split",
		splitHint: "May stay empty.",
	},

	runs: {
		title: "Runs",
		doing: (action: keyof typeof DOING, kind: SelectedKind, count: number | null) =>
			`${DOING[action]} ${count === null ? NOUNS[kind][1] : items(kind, count)}`,
		done: (action: keyof typeof DONE, kind: SelectedKind, count: number) => `${DONE[action]} ${items(kind, count)}`,
		of: (done: string, all: string) => `${done} of ${all}`,
		counting: "Counting",
		cancelled: "Cancelled; what was done stays.",
		failed: (count: number) => `${counted(count, "failed", "failed")}`,
		left: (count: number) =>
			`${counted(count, "was left alone, as it is gone", "were left alone, as they are gone")} or no longer fits.`,
		cancel: "Cancel the run",
		dismiss: "Dismiss",
		openDataset: "Open the dataset",
		openProject: "Open the project",
		gone: "This run does not exist any more.",
	},

	key: { toggle: "Select the row; with Shift, all up to it", clear: "Clear the selection" },
	row: "Select",
	all: "Select all rows that are loaded",
} as const;
