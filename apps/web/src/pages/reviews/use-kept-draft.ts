import type { ReviewQueue } from "@spanward/client";
import { useEffect, useEffectEvent, useRef } from "react";
import { api } from "../../lib/api.ts";
import { type Drafts, toAnswers } from "../../reviewing/answers.ts";
import { mayBeSentLater } from "../../reviewing/outbox.ts";
import { isLeaseLost } from "./use-reviewing.ts";

/** How long nothing is typed before a draft is kept. */
const QUIET_MS = 600;
/** How soon it is tried again where the server did not answer. */
const AGAIN_MS = 4_000;

export interface KeptDraft {
	readonly queue: ReviewQueue;
	readonly itemId: string;
	readonly drafts: Drafts;
	/** Reads for how many seconds the page was in front. */
	readonly seconds: () => number;
	/** Nothing is kept: the item is not held, or its review is on its way. */
	readonly isPaused: boolean;
	/** The turn on the item has ended; the draft is kept all the same. */
	readonly onLost: () => void;
}

/** Keeps what is filled in on the server, a moment after it changed. To be mounted anew for each item. */
export function useKeptDraft({ queue: { id, questions }, itemId, drafts, seconds, isPaused, onLost }: KeptDraft): void {
	const text = JSON.stringify(toAnswers(questions, drafts));
	const kept = useRef(text);
	/** @returns whether it need not be tried again */
	const keep = useEffectEvent(async (): Promise<boolean> => {
		try {
			await api.put("/v1/review_queues/{queue_id}/items/{item_id}/draft", {
				path: { queue_id: id, item_id: itemId },
				body: { answers: toAnswers(questions, drafts), seconds: seconds() },
			});
			return true;
		} catch (error) {
			if (isLeaseLost(error)) onLost();
			// Of what else is refused saving tells.
			return !mayBeSentLater(error);
		}
	});
	useEffect(() => {
		if (isPaused || text === kept.current) return;
		let isOver = false;
		let timer: ReturnType<typeof setTimeout>;
		const run = async () => {
			const isDone = await keep();
			if (isDone) kept.current = text;
			else if (!isOver) timer = setTimeout(() => void run(), AGAIN_MS);
		};
		timer = setTimeout(() => void run(), QUIET_MS);
		return () => {
			isOver = true;
			clearTimeout(timer);
		};
	}, [isPaused, text]);
}
