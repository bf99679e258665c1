import { ApiError, type ReviewAnswerBodyInput, type ReviewItem, type ReviewTurn } from "@spanward/client";
import { api } from "../lib/api.ts";
import { waitingReviews } from "../lib/waiting-reviews.ts";

/** A review as it is sent. */
export interface SentReview {
	/** Under which the server takes it once, however often it is sent. */
	readonly key: string;
	/** Undefined while authentication is off. */
	readonly userId?: string;
	readonly queueId: string;
	readonly itemId: string;
	readonly answers: readonly ReviewAnswerBodyInput[];
	/** For which the page was in front; absent where the answers of before are changed. */
	readonly seconds?: number;
	/** Whether the next item is taken along. The server knows the review again only where it is sent as it was before. */
	readonly takesNext?: boolean;
}

const KEY_BYTES = 16;

/** A new key; `crypto.randomUUID` exists only under https and on localhost. */
export function newKey(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
	return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

interface Submitted {
	readonly data: ReviewItem;
	/** The next turn, null where nothing is left; absent where it was not asked for, or is refused. */
	readonly next?: ReviewTurn | null;
}

/** @throws `ApiError` when the server refused it, others when it did not answer */
export async function sendReview(review: SentReview): Promise<Submitted> {
	const { key, queueId, itemId, answers, seconds, takesNext = false } = review;
	return await api.post("/v1/review_queues/{queue_id}/items/{item_id}/review", {
		path: { queue_id: queueId, item_id: itemId },
		query: takesNext ? { next: true } : {},
		body: { answers: [...answers], ...(seconds === undefined ? {} : { seconds }) },
		headers: { "idempotency-key": key },
	});
}

/** Whether it was no refusal: nothing answered, or something in between, or the server has too much to do. */
export function mayBeSentLater(error: unknown): boolean {
	if (!(error instanceof ApiError)) return error instanceof TypeError;
	return error.status === 429 || error.status >= 500 || error.code === "request_in_progress";
}

/** The reviews of a user that wait in this browser, the oldest first. */
export function listWaiting(text: string | undefined, userId: string | undefined): readonly SentReview[] {
	return readAll(text).filter((waiting) => waiting.userId === userId);
}

/** Keeps a review until the server takes it. */
export function keepWaiting(review: SentReview): void {
	write([...readAll(waitingReviews.get()).filter(({ key }) => key !== review.key), review]);
}

export function forgetWaiting(key: string): void {
	write(readAll(waitingReviews.get()).filter((waiting) => waiting.key !== key));
}

function write(all: readonly SentReview[]): void {
	waitingReviews.set(all.length === 0 ? undefined : JSON.stringify(all));
}

function readAll(text: string | undefined): readonly SentReview[] {
	if (text === undefined) return [];
	try {
		const all: unknown = JSON.parse(text);
		return Array.isArray(all) ? all.filter(isReview) : [];
	} catch (error) {
		if (error instanceof SyntaxError) return [];
		throw error;
	}
}

function isReview(value: unknown): value is SentReview {
	if (typeof value !== "object" || value === null) return false;
	const { key, queueId, itemId, answers } = value as Partial<Record<keyof SentReview, unknown>>;
	return [key, queueId, itemId].every((each) => typeof each === "string") && Array.isArray(answers);
}
