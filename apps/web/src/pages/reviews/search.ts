import { choiceParam, present, textParam } from "../../lib/search-params.ts";

export const ITEM_STATES = ["pending", "in_review", "disagreement", "done", "removed"] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** The state of the list of queues in the address. */
export interface ReviewsSearch {
	/** The archived queues are listed, not the others. */
	show?: "archived";
}

export function parseReviewsSearch(search: Record<string, unknown>): ReviewsSearch {
	return present({ show: choiceParam(search["show"], ["archived"] as const) });
}

/** The state of a queue's list of items in the address. */
export interface ItemsSearch {
	state?: ItemState;
	/** Only those that the user reviewed or skipped. */
	reviewer?: "me";
}

export function parseItemsSearch(search: Record<string, unknown>): ItemsSearch {
	return present({
		state: choiceParam(search["state"], ITEM_STATES),
		reviewer: choiceParam(search["reviewer"], ["me"] as const),
	});
}

/** What a queue's gold answers are compared with, in the address. */
export interface CalibrationSearch {
	/** Name of the annotations. */
	annotation?: string;
	/** Id of the question's annotation config. */
	question?: string;
	/** Only what adjudicators decided is gold. */
	gold?: "decisions";
}

export function parseCalibrationSearch(search: Record<string, unknown>): CalibrationSearch {
	return present({
		annotation: textParam(search["annotation"]),
		question: textParam(search["question"]),
		gold: choiceParam(search["gold"], ["decisions"] as const),
	});
}
