import { expect, test } from "vitest";
import { openTestApp, type TestApp } from "#test-app.ts";
import { createTestPlace } from "#test-storage.ts";

const PATH = "/v1/review_queues";
const SPAN = "a".repeat(16);
const VALUES = [
	{ label: "good", score: 1 },
	{ label: "bad", score: 0 },
];
const VERDICT = { name: "verdict", type: "CATEGORICAL", optimization_direction: "MAXIMIZE", values: VALUES };

/** A queue with one item. @returns the ids of the config and the queue */
async function createQueue(server: TestApp, more: object = {}, headers: Record<string, string> = {}) {
	await server.send([{ spanId: SPAN }], "chat");
	const config: string = (await server.call("POST", "/v1/annotation_configs", VERDICT, headers)).json.data.id;
	const questions = [{ annotation_config_id: config }];
	const made = await server.call("POST", PATH, { name: "kept", target: "span", questions, ...more }, headers);
	const queue: string = made.json.data.id;
	const targets = [{ span_id: SPAN, project: "chat" }];
	expect((await server.call("POST", `${PATH}/${queue}/items`, { targets }, headers)).status).toBe(200);
	return { config, queue };
}

async function answer(server: TestApp, { config, queue }: { config: string; queue: string }, label: string) {
	const { item } = (await server.call("POST", `${PATH}/${queue}/next`)).json.data;
	const body = { answers: [{ annotation_config_id: config, label }] };
	return await server.call("POST", `${PATH}/${queue}/items/${item.id}/review`, body);
}

const reviewsOf = async (server: TestApp, queue: string, headers: Record<string, string> = {}) =>
	(await server.get(`${PATH}/${queue}/items`, headers)).json.data[0].reviews;

test("RV14 answers and questions stay as they were when the config gets other labels, and when it is deleted", async () => {
	await using server = await openTestApp();
	const made = await createQueue(server);
	expect((await answer(server, made, "good")).status).toBe(200);
	const before = await reviewsOf(server, made.queue);
	expect(before).toMatchObject([{ answers: [{ name: "verdict", label: "good" }] }]);
	const relabelled = { ...VERDICT, name: "judgement", values: [{ label: "fine", score: 1 }] };
	expect((await server.call("PUT", `/v1/annotation_configs/${made.config}`, relabelled)).status).toBe(200);
	expect(await reviewsOf(server, made.queue)).toEqual(before);

	await server.send([{ spanId: "b".repeat(16) }], "chat");
	const targets = [{ span_id: "b".repeat(16), project: "chat" }];
	await server.call("POST", `${PATH}/${made.queue}/items`, { targets });
	expect((await server.call("DELETE", `/v1/annotation_configs/${made.config}`)).status).toBeLessThan(300);
	expect(await reviewsOf(server, made.queue)).toEqual(before);
	const { questions } = (await server.get(`${PATH}/${made.queue}`)).json.data;
	expect(questions).toMatchObject([{ name: "verdict", values: VALUES }]);
	expect((await answer(server, made, "fine")).status).toBe(422);
	expect((await answer(server, made, "bad")).status).toBe(200);
});

test("RV25 what was answered without authentication stays when it is switched on, and others go on", async () => {
	await using place = await createTestPlace();
	const made = await (async () => {
		await using open = await openTestApp(place.settings);
		const found = await createQueue(open);
		expect((await answer(open, found, "good")).status).toBe(200);
		return found;
	})();
	await using server = await openTestApp({ ...place.settings, SERVICE_ENABLE_AUTH: "true" });
	const { headers } = await server.signedIn("ADMIN");
	expect(await reviewsOf(server, made.queue, headers)).toMatchObject([
		{ reviewer: { id: null, username: null }, answers: [{ label: "good" }] },
	]);
	const changed = await server.call("PATCH", `${PATH}/${made.queue}`, { name: "still kept" }, headers);
	expect([changed.status, changed.text]).toEqual([200, expect.stringContaining("still kept")]);
	const [annotation] = (await server.get(`/v1/projects/chat/span_annotations?span_ids=${SPAN}`, headers)).json.data;
	expect(annotation).toMatchObject({ name: "verdict", result: { label: "good" }, user_id: null });
});
