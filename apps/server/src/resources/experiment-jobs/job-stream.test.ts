import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { JobStream } from "./job-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const readAll = (stream: JobStream) => {
	let text = "";
	for (let piece = stream.read(); piece !== null; piece = stream.read()) text += String(piece);
	return text;
};

it("tells a reader who does not read nothing more, and the newest when it reads again", async () => {
	let looks = 0;
	const look = async () => ({ state: "running", done: ++looks, name: "x".repeat(1_000) });
	await using stream = new JobStream(look, () => undefined);
	await vi.advanceTimersByTimeAsync(600_000);
	expect(stream.readableLength).toBeLessThan(70_000);
	expect(looks).toBeLessThan(70);
	readAll(stream);
	await vi.advanceTimersByTimeAsync(1_000);
	expect(readAll(stream)).toContain(`"done":${looks}`);
});

it("tells of its end also who has not read before", async () => {
	let state = "running";
	let looks = 0;
	const look = async () => ({ state, done: ++looks, name: "x".repeat(100_000) });
	await using stream = new JobStream(look, () => undefined);
	await vi.advanceTimersByTimeAsync(2_000);
	state = "done";
	await vi.advanceTimersByTimeAsync(10_000);
	expect(readAll(stream)).not.toContain("event: end");
	await vi.advanceTimersByTimeAsync(1_000);
	expect(readAll(stream)).toMatch(/"state":"done".*event: end\ndata: {"reason":"ended"}/s);
});
