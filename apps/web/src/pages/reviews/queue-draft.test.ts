import type { ReviewQueue } from "@spanward/client";
import { expect, test } from "vitest";
import { isBlind, NEW_QUEUE, toDraft, toNewBody, toPatch, wrongFields } from "./queue-draft.ts";

const QUEUE: ReviewQueue = {
	...{ id: "queue", name: "Refunds", description: null, guidance: "Be **fair**.", target: "span" },
	questions: [
		{
			...{ annotation_config_id: "v", name: "verdict", type: "CATEGORICAL", description: null, values: [] },
			...{ lower_bound: null, upper_bound: null, required: true, note: true, tolerance: 0 },
		},
	],
	...{ reviews_required: 2, reviewers: ["ann", "ben"], adjudicators: ["cleo"], blind: true, order: "oldest" },
	hide_model_annotations: false,
	people: [
		{ id: "ann", username: "Ann" },
		{ id: "ben", username: "Ben" },
		{ id: "cleo", username: "Cleo" },
	],
	...{ seed: 1, lease_minutes: 15, due_at: "2027-01-31T18:30:00+00:00" },
	counts: { pending: 0, in_review: 0, disagreement: 0, done: 0, removed: 0 },
	...{ created_at: "2026-11-01T00:00:00+00:00", updated_at: "2026-11-01T00:00:00+00:00" },
	...{ created_by: "ann", archived_at: null },
};

test("a new queue says what is missing, and hides answers of others when several are required", () => {
	expect(wrongFields(NEW_QUEUE)).toEqual(new Set(["name", "questions"]));
	expect(wrongFields({ ...NEW_QUEUE, name: "x", questions: [], reviewers: [], due: "soon" })).toEqual(
		new Set(["questions", "reviewers", "due"]),
	);
	expect([isBlind(NEW_QUEUE), isBlind({ ...NEW_QUEUE, reviewsRequired: "2" })]).toEqual([false, true]);
	const question = { configId: "v", isRequired: false, hasNote: true, tolerance: "0.1" };
	expect(toNewBody({ ...NEW_QUEUE, name: " Refunds ", questions: [question], reviewsRequired: "2" })).toMatchObject({
		...{ name: "Refunds", target: "trace", blind: true, reviews_required: 2, reviewers: null, due_at: null },
		questions: [{ annotation_config_id: "v", required: false, note: true, tolerance: 0.1 }],
	});
});

test("only what was changed is sent", () => {
	const draft = toDraft(QUEUE);
	expect(draft.reviewers).toEqual([
		{ id: "ann", username: "Ann" },
		{ id: "ben", username: "Ben" },
	]);
	expect(toPatch(QUEUE, draft)).toEqual({});
	expect(toPatch(QUEUE, { ...draft, due: "", reviewers: null, guidance: " " })).toEqual({
		...{ due_at: null, reviewers: null, guidance: null },
	});
});
