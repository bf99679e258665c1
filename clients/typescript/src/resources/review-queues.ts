import type { Client } from "../client.ts";
import type {
	AddReviewItemsBodyInput,
	BulkRun,
	CreateReviewQueueBodyInput,
	Operations,
	PatchReviewQueueBodyInput,
	PutReviewRuleBodyInput,
	ReviewAnswerBodyInput,
	ReviewGoldRun,
	ReviewItem,
	ReviewItemExample,
	ReviewQueue,
	ReviewQueueAgreement,
	ReviewQueueCalibration,
	ReviewQueueProgress,
	ReviewRule,
	ReviewTargetInput,
	ReviewTurn,
	StartGoldRunBodyInput,
} from "../generated/api.ts";
import { Paged } from "../paged.ts";
import { type ChangeOptions, getTagged, type Tagged, toHeaders } from "../tagged.ts";

type Queues = Operations["get"]["/v1/review_queues"];
type Items = Operations["get"]["/v1/review_queues/{queue_id}/items"];
type Calibration = Operations["get"]["/v1/review_queues/{queue_id}/calibration"];
type ListOptions = Omit<NonNullable<Queues["query"]>, "cursor">;
type ItemOptions = Omit<NonNullable<Items["query"]>, "cursor">;
type CalibrationOptions = Omit<Calibration["query"], "annotation_name" | "format" | "escape_formulas" | "cursor">;
type Filling = Omit<AddReviewItemsBodyInput, "targets" | "experiment_id"> & {
	project: string;
	filter: string | object;
};

interface DeleteOptions {
	/** Also the annotations that came of answers. */
	deleteAnnotations?: boolean;
}

interface SubmitOptions {
	/** How long it took. */
	seconds?: number;
}

/** An answer to one question about one item. */
export interface ExportedAnswer {
	item_id: string;
	item_state: ReviewItem["state"];
	target_kind: ReviewQueue["target"];
	target_id: string;
	/** Null for a run of an experiment in the library. */
	project_id: string | null;
	/** Null for accounts that were deleted, and where you may not see who answered. */
	reviewer_id: string | null;
	reviewer: string | null;
	source: "review" | "decision";
	annotation_config_id: string;
	question: string;
	label: string | null;
	score: number | null;
	explanation: string | null;
	seconds: number | null;
	answered_at: string | null;
}

/** Spans, traces, sessions and runs of experiments that people answer questions about, in turns. */
export class ReviewQueues {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	list(query: ListOptions = {}): Paged<ReviewQueue> {
		return new Paged((cursor) =>
			this.#api.get("/v1/review_queues", { query: { ...query, ...(cursor && { cursor }) } }),
		);
	}

	async get(queueId: string): Promise<ReviewQueue> {
		return (await this.#api.get("/v1/review_queues/{queue_id}", { path: { queue_id: queueId } })).data;
	}

	async getWithEtag(queueId: string): Promise<Tagged<ReviewQueue>> {
		return await getTagged(this.#api, `/v1/review_queues/${encodeURIComponent(queueId)}`);
	}

	async create(queue: CreateReviewQueueBodyInput): Promise<ReviewQueue> {
		return (await this.#api.post("/v1/review_queues", { body: queue })).data;
	}

	/** `{ archived: true }` ends reviewing. */
	async update(queueId: string, changes: PatchReviewQueueBodyInput, options: ChangeOptions = {}): Promise<ReviewQueue> {
		const parts = { path: { queue_id: queueId }, body: changes, ...toHeaders(options) };
		return (await this.#api.patch("/v1/review_queues/{queue_id}", parts)).data;
	}

	/** With its items and reviews; the annotations that came of them stay. */
	async delete(queueId: string, { deleteAnnotations = false }: DeleteOptions = {}): Promise<void> {
		const query = deleteAnnotations ? { delete_annotations: true } : {};
		await this.#api.delete("/v1/review_queues/{queue_id}", { path: { queue_id: queueId }, query });
	}

	/** @param targets at most 10,000, such as `{ trace_id, project }` or `{ experiment_run_id }` */
	async add(
		queueId: string,
		targets: ReviewTargetInput[],
		options: { priority?: number } = {},
	): Promise<{ added: number; present: number }> {
		return await this.#addItems(queueId, { targets, ...options });
	}

	/** As `add`, all runs that an experiment has now. */
	async addExperiment(
		queueId: string,
		experimentId: string,
		options: { priority?: number } = {},
	): Promise<{ added: number; present: number }> {
		return await this.#addItems(queueId, { experiment_id: experimentId, ...options });
	}

	async #addItems(queueId: string, body: AddReviewItemsBodyInput): Promise<{ added: number; present: number }> {
		const parts = { path: { queue_id: queueId }, body };
		const { data } = await this.#api.post("/v1/review_queues/{queue_id}/items", parts);
		if (!("added" in data)) throw new Error("the server began a run instead of adding targets");
		return data;
	}

	/**
	 * Begins a run that puts in all that fits; `api.get("/v1/bulk_runs/{run_id}", …)` says how far it is.
	 * @example
	 * await spanward.reviewQueues.fill(id, { project: "default", filter: "error_count > 0", limit: 200 });
	 */
	async fill(queueId: string, filling: Filling): Promise<BulkRun> {
		const parts = { path: { queue_id: queueId }, body: filling as AddReviewItemsBodyInput };
		const { data } = await this.#api.post("/v1/review_queues/{queue_id}/items", parts);
		if ("added" in data) throw new Error("the server added targets instead of beginning a run");
		return data;
	}

	/** Answers of others are there only where you may see them. */
	items(queueId: string, query: ItemOptions = {}): Paged<ReviewItem> {
		const path = { queue_id: queueId };
		return new Paged((cursor) =>
			this.#api.get("/v1/review_queues/{queue_id}/items", { path, query: { ...query, ...(cursor && { cursor }) } }),
		);
	}

	async getItem(queueId: string, itemId: string): Promise<ReviewItem> {
		const path = { queue_id: queueId, item_id: itemId };
		return (await this.#api.get("/v1/review_queues/{queue_id}/items/{item_id}", { path })).data;
	}

	async removeItem(queueId: string, itemId: string): Promise<void> {
		await this.#api.delete("/v1/review_queues/{queue_id}/items/{item_id}", {
			path: { queue_id: queueId, item_id: itemId },
		});
	}

	/** The next item, kept for you until `reserved_until`; undefined when nothing is left for you. */
	async next(queueId: string): Promise<ReviewTurn | undefined> {
		const answer = await this.#api.post("/v1/review_queues/{queue_id}/next", { path: { queue_id: queueId } });
		return answer?.data;
	}

	/** @throws ConflictError when your turn had ended; the answers are kept as your draft */
	async submit(
		queueId: string,
		itemId: string,
		answers: ReviewAnswerBodyInput[],
		options: SubmitOptions = {},
	): Promise<ReviewItem> {
		const path = { queue_id: queueId, item_id: itemId };
		const body = { answers, ...options };
		return (await this.#api.post("/v1/review_queues/{queue_id}/items/{item_id}/review", { path, body })).data;
	}

	/** Leaves the item to somebody else for good. */
	async skip(queueId: string, itemId: string, reason: string): Promise<void> {
		const path = { queue_id: queueId, item_id: itemId };
		await this.#api.post("/v1/review_queues/{queue_id}/items/{item_id}/skip", { path, body: { reason } });
	}

	/** Gives the item back. */
	async release(queueId: string, itemId: string): Promise<void> {
		await this.#api.post("/v1/review_queues/{queue_id}/items/{item_id}/release", {
			path: { queue_id: queueId, item_id: itemId },
		});
	}

	/** The gold answer of an adjudicator. */
	async decide(queueId: string, itemId: string, answers: ReviewAnswerBodyInput[]): Promise<ReviewItem> {
		const parts = { path: { queue_id: queueId, item_id: itemId }, body: { answers } };
		return (await this.#api.post("/v1/review_queues/{queue_id}/items/{item_id}/adjudication", parts)).data;
	}

	/** The rule that goes on filling the queue. */
	async rule(queueId: string): Promise<ReviewRule> {
		return (await this.#api.get("/v1/review_queues/{queue_id}/rule", { path: { queue_id: queueId } })).data;
	}

	async setRule(queueId: string, rule: PutReviewRuleBodyInput): Promise<ReviewRule> {
		const parts = { path: { queue_id: queueId }, body: rule };
		const { data } = await this.#api.put("/v1/review_queues/{queue_id}/rule", parts);
		if (!("created_at" in data)) throw new Error("the server only previewed the rule");
		return data;
	}

	async deleteRule(queueId: string): Promise<void> {
		await this.#api.delete("/v1/review_queues/{queue_id}/rule", { path: { queue_id: queueId } });
	}

	/** How far reviewers agree, by question and over whole reviews. */
	async agreement(queueId: string): Promise<ReviewQueueAgreement> {
		return (await this.#api.get("/v1/review_queues/{queue_id}/agreement", { path: { queue_id: queueId } })).data;
	}

	async progress(queueId: string): Promise<ReviewQueueProgress> {
		return (await this.#api.get("/v1/review_queues/{queue_id}/progress", { path: { queue_id: queueId } })).data;
	}

	/** The gold answers against annotations of a name, such as those of a judge, with the first items where they differ. */
	async calibration(
		queueId: string,
		annotationName: string,
		options: CalibrationOptions = {},
	): Promise<ReviewQueueCalibration> {
		const query = { annotation_name: annotationName, ...options };
		const parts = { path: { queue_id: queueId }, query };
		return (await this.#api.get("/v1/review_queues/{queue_id}/calibration", parts)).data;
	}

	/**
	 * Begins a run that makes the gold answers a version of a dataset; `goldRun` says how far it is. Examples that the dataset
	 * has of the same spans get the new content.
	 * @example
	 * await spanward.reviewQueues.goldToDataset(id, { dataset_name: "golden", annotation_config_id: correction });
	 */
	async goldToDataset(queueId: string, into: StartGoldRunBodyInput): Promise<ReviewGoldRun> {
		const parts = { path: { queue_id: queueId }, body: into };
		return (await this.#api.post("/v1/review_queues/{queue_id}/gold_runs", parts)).data;
	}

	async goldRun(queueId: string, runId: string): Promise<ReviewGoldRun> {
		const path = { queue_id: queueId, gold_run_id: runId };
		return (await this.#api.get("/v1/review_queues/{queue_id}/gold_runs/{gold_run_id}", { path })).data;
	}

	/** Your own, the newest first; all of them for admins. */
	goldRuns(queueId: string, query: { limit?: number } = {}): Paged<ReviewGoldRun> {
		const path = { queue_id: queueId };
		return new Paged((cursor) =>
			this.#api.get("/v1/review_queues/{queue_id}/gold_runs", { path, query: { ...query, ...(cursor && { cursor }) } }),
		);
	}

	/** Nothing of it stays. */
	async cancelGoldRun(queueId: string, runId: string): Promise<void> {
		const path = { queue_id: queueId, gold_run_id: runId };
		await this.#api.delete("/v1/review_queues/{queue_id}/gold_runs/{gold_run_id}", { path });
	}

	/** The example that the span of an item would become, for `examples/from_spans` with a corrected output. */
	async itemExample(queueId: string, itemId: string): Promise<ReviewItemExample> {
		const path = { queue_id: queueId, item_id: itemId };
		return (await this.#api.get("/v1/review_queues/{queue_id}/items/{item_id}/example", { path })).data;
	}

	/** All answers that you may see. */
	async export(queueId: string): Promise<ExportedAnswer[]> {
		const response = await this.#api.fetch(`/v1/review_queues/${encodeURIComponent(queueId)}/export?format=jsonl`);
		const lines = (await response.text()).split("\n").filter((line) => line !== "");
		return lines.map((line) => JSON.parse(line) as ExportedAnswer);
	}
}
