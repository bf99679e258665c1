import { ApiError, type ReviewItem, type ReviewQueue, type ReviewTurn } from "@spanward/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { api } from "../../lib/api.ts";
import { useMe } from "../../lib/me.ts";
import { openReviewsQuery } from "../../lib/open-reviews.ts";
import { queueQuery } from "../../lib/review-queues.ts";
import { useLocalSetting } from "../../lib/use-local-setting.ts";
import { waitingReviews } from "../../lib/waiting-reviews.ts";
import { type Drafts, toAnswers, toDrafts } from "../../reviewing/answers.ts";
import {
	keepWaiting,
	listWaiting,
	mayBeSentLater,
	newKey,
	type SentReview,
	sendReview,
} from "../../reviewing/outbox.ts";
import { ownReviewsQuery } from "./queries.ts";

/** An item that is shown with its form. */
export interface Shown {
	readonly item: ReviewItem;
	/** What the form begins with. */
	readonly drafts: Drafts;
	/** Absent for an item that was reviewed before, whose answers are changed. */
	readonly reservedUntil?: string;
	/** For which the page was in front before. */
	readonly seconds: number;
	/** What is said of the target already, as far as the queue lets reviewers know; of the current item. */
	readonly annotations: ReviewTurn["annotations"];
}

export interface Reviewing {
	/** Undefined while it is asked for; `nothing` when nothing is left for the user. */
	readonly shown: Shown | "nothing" | undefined;
	/** Why the next item could not be taken. */
	readonly error: Error | undefined;
	/** How many steps back from the current item this one is; 0 for the current one. */
	readonly stepsBack: number;
	/** How many could be gone back. */
	readonly mostBack: number;
	readonly isBusy: boolean;
	/** Why saving or skipping was refused. */
	readonly refusal: Error | undefined;
	/** The turn on the item ended meanwhile; what was written is kept. */
	readonly isLost: boolean;
	/** The answers wait in this browser, as the server cannot be reached. */
	readonly isWaiting: boolean;
	/** Number of reviews that were saved on this page. */
	readonly saved: number;
	readonly take: () => void;
	readonly save: (drafts: Drafts, seconds: number) => void;
	readonly skip: (reason: string) => void;
	readonly loseTurn: () => void;
	readonly goBack: () => void;
	readonly goForward: () => void;
}

interface State {
	readonly current: Shown | "nothing" | undefined;
	readonly former: readonly ReviewItem[];
	readonly stepsBack: number;
	readonly error: Error | undefined;
	readonly refusal: Error | undefined;
	readonly isLost: boolean;
	readonly isBusy: boolean;
	/** Key of the review that waits in the browser. */
	readonly waitingKey: string | undefined;
	readonly saved: number;
}

const BEGINNING: State = {
	...{ current: undefined, former: [], stepsBack: 0, error: undefined, refusal: undefined },
	...{ isLost: false, isBusy: false, waitingKey: undefined, saved: 0 },
};

/**
 * The turns of the user in a queue, one after another, and the way back to those before.
 * @param onUpcoming gets the items that come next, to load them ahead; nothing is reserved
 */
export function useReviewing(queue: ReviewQueue, onUpcoming: (items: readonly ReviewItem[]) => void): Reviewing {
	const queries = useQueryClient();
	const me = useMe();
	const [state, setState] = useState(BEGINNING);
	const change = (next: Partial<State>) => setState((before) => ({ ...before, ...next }));
	const [waitingText] = useLocalSetting(waitingReviews);
	const waits = listWaiting(waitingText, me?.id).some(({ queueId }) => queueId === queue.id);
	const path = { queue_id: queue.id };

	const look = async () => {
		try {
			onUpcoming((await api.get("/v1/review_queues/{queue_id}/upcoming", { path })).data);
		} catch (error) {
			// Nothing is loaded ahead then.
			if (!(error instanceof ApiError || error instanceof TypeError)) throw error;
		}
	};
	const show = (turn: ReviewTurn | null) => {
		const current = turn === null ? "nothing" : toShown(queue, turn);
		change({ ...{ current, isBusy: false, isLost: false, refusal: undefined, stepsBack: 0, waitingKey: undefined } });
		if (turn !== null) void look();
		else for (const key of ["open-reviews", "review-queue"]) void queries.invalidateQueries({ queryKey: [key] });
	};
	const take = async () => {
		change({ isBusy: true, error: undefined });
		try {
			show(await takeTurn(queue.id));
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			change({ isBusy: false, error });
		}
	};
	const start = useEffectEvent(async () => {
		if (!waits) void take();
		const former = await queries.fetchQuery(ownReviewsQuery(queue.id)).catch((error: unknown) => {
			// There is no way back then.
			if (error instanceof Error) return [];
			throw error;
		});
		setState((before) => ({ ...before, former: merge(before.former, former) }));
	});
	useEffect(() => void start(), []);

	// What waited is sent by the notice above the page.
	const waited = useRef(waits);
	const goOn = useEffectEvent(() => void take());
	useEffect(() => {
		if (waited.current && !waits) goOn();
		waited.current = waits;
	}, [waits]);

	const formerItem = state.former[state.stepsBack - 1];
	const shown = formerItem === undefined ? state.current : formerShown(queue, formerItem, me?.id);
	const item = shown === undefined || shown === "nothing" ? undefined : shown.item;

	/** One item fewer waits; the server counts anew by and by. */
	const countDown = (reviewed?: ReviewItem) => {
		if (reviewed?.state === "done")
			queries.setQueryData(queueQuery(queue.id).queryKey, (before) => before && withOneMoreDone(before));
		queries.setQueryData(openReviewsQuery.queryKey, (open) => {
			const count = open?.get(queue.id);
			return open && count ? new Map(open).set(queue.id, Math.max(0, count - 1)) : open;
		});
	};
	const noteSaved = (reviewed: ReviewItem) =>
		setState((before) => ({
			...{ ...before, isBusy: false, refusal: undefined, saved: before.saved + 1 },
			former:
				before.stepsBack === 0
					? merge([reviewed], before.former)
					: before.former.map((each) => (each.id === reviewed.id ? reviewed : each)),
		}));
	const save = async (drafts: Drafts, seconds: number) => {
		if (item === undefined || state.isBusy) return;
		const isCurrent = state.stepsBack === 0;
		const review: SentReview = {
			...{ key: newKey(), ...(me === undefined ? {} : { userId: me.id }), queueId: queue.id, itemId: item.id },
			answers: toAnswers(queue.questions, drafts),
			...(isCurrent ? { seconds, takesNext: true } : {}),
		};
		change({ isBusy: true, refusal: undefined });
		try {
			const { data: reviewed, next } = await sendReview(review);
			noteSaved(reviewed);
			if (!isCurrent) return change({ stepsBack: state.stepsBack - 1 });
			if (next === undefined) await take();
			else show(next);
			countDown(reviewed);
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			if (mayBeSentLater(error)) keepWaiting(review);
			change({ isBusy: false, ...(mayBeSentLater(error) ? { waitingKey: review.key } : refused(error)) });
		}
	};
	const skip = async (reason: string) => {
		if (item === undefined || state.isBusy) return;
		change({ isBusy: true, refusal: undefined });
		try {
			await api.post("/v1/review_queues/{queue_id}/items/{item_id}/skip", {
				path: { ...path, item_id: item.id },
				body: { reason },
			});
			await take();
			countDown();
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			change({ isBusy: false, ...refused(error) });
		}
	};
	const step = (by: 1 | -1) =>
		setState((before) => ({
			...{ ...before, refusal: undefined },
			stepsBack: Math.max(0, Math.min(before.former.length, before.stepsBack + by)),
		}));
	return {
		...{ shown, error: state.error, stepsBack: state.stepsBack, mostBack: state.former.length },
		...{ isBusy: state.isBusy, refusal: state.refusal, isLost: state.isLost, isWaiting: waits, saved: state.saved },
		take: () => void take(),
		save: (drafts, seconds) => void save(drafts, seconds),
		skip: (reason) => void skip(reason),
		loseTurn: () => change({ isLost: true }),
		goBack: () => step(1),
		goForward: () => step(-1),
	};
}

function withOneMoreDone(queue: ReviewQueue): ReviewQueue {
	const { done, in_review } = queue.counts;
	return { ...queue, counts: { ...queue.counts, done: done + 1, in_review: Math.max(0, in_review - 1) } };
}

/** Reserves the next item. @returns null when nothing is left */
async function takeTurn(queueId: string): Promise<ReviewTurn | null> {
	// 204 has no body.
	const answer = (await api.post("/v1/review_queues/{queue_id}/next", { path: { queue_id: queueId } })) as
		| { readonly data: ReviewTurn }
		| undefined;
	return answer?.data ?? null;
}

function toShown(queue: ReviewQueue, { item, draft, reserved_until, annotations }: ReviewTurn): Shown {
	const drafts = toDrafts(queue.questions, draft?.answers ?? []);
	return { item, drafts, reservedUntil: reserved_until, seconds: draft?.seconds ?? 0, annotations };
}

function formerShown(queue: ReviewQueue, item: ReviewItem, userId: string | undefined): Shown {
	const own = item.reviews.find(
		({ reviewer, status }) => status === "done" && (userId === undefined || reviewer?.id === userId),
	);
	return { item, drafts: toDrafts(queue.questions, own?.answers ?? []), seconds: 0, annotations: [] };
}

function merge(first: readonly ReviewItem[], then: readonly ReviewItem[]): readonly ReviewItem[] {
	return [...first, ...then.filter((item) => !first.some(({ id }) => id === item.id))];
}

function refused(error: Error): Pick<State, "refusal" | "isLost"> {
	const isLost = isLeaseLost(error);
	return { isLost, refusal: isLost ? undefined : error };
}

export function isLeaseLost(error: unknown): boolean {
	return error instanceof ApiError && error.code === "lease_lost";
}
