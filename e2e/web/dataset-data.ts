import type { TestServer } from "../server.ts";

/** An answer's `data`. @throws when it is not 2xx */
// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
export async function send(server: TestServer, method: string, path: string, body?: unknown): Promise<any> {
	const response = await server.fetch(path, {
		method,
		...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
	return text === "" ? undefined : JSON.parse(text).data;
}

export interface Question {
	readonly question: string;
	readonly answer: string;
	readonly split: "train" | "test";
}

export const QUESTIONS: readonly Question[] = [
	{ question: "What is the capital of France?", answer: "The capital is Paris.", split: "test" },
	{ question: "Who wrote Emma?", answer: "Jane Austen wrote it.", split: "train" },
	{ question: "How many legs does a spider have?", answer: "It has eight legs.", split: "train" },
	{ question: "What is 17 × 23?", answer: "It is 391.", split: "train" },
];

/** Makes a dataset of the questions, each as often as `copies` says. @returns its id */
export async function createQuestions(server: TestServer, name: string, copies = 1): Promise<string> {
	const questions = Array.from({ length: copies }, () => QUESTIONS).flat();
	const data = await send(server, "POST", "/v1/datasets/upload?sync=true", {
		name,
		action: "create",
		inputs: questions.map(({ question }) => ({ question })),
		outputs: questions.map(({ answer }) => ({ answer })),
		splits: questions.map(({ split }) => split),
		example_ids: questions.map((_, index) => `q${index + 1}`),
	});
	return data.dataset_id;
}

/** What a run of an experiment answers to a question; null: it is not run. */
export type Answers = (question: Question, repetition: number) => { output?: string; error?: string } | null;

export interface ExperimentOf {
	readonly name: string;
	readonly repetitions?: number;
	readonly answers: Answers;
}

/** Runs an experiment, whose answers are correct when they are the expected ones. @returns its id */
export async function runExperiment(
	server: TestServer,
	dataset: string,
	{ name, repetitions = 1, answers }: ExperimentOf,
): Promise<string> {
	const { id } = await send(server, "POST", `/v1/datasets/${encodeURIComponent(dataset)}/experiments`, {
		name,
		repetitions,
	});
	const path = `/v1/experiments/${encodeURIComponent(id)}`;
	const start_time = new Date(Date.now() - 10_000).toISOString();
	const end_time = new Date(Date.now() - 9_000).toISOString();
	const missing = await send(server, "GET", `${path}/incomplete-runs?limit=100`);
	for (const { dataset_example: example, repetition_numbers: numbers } of missing) {
		const question = QUESTIONS.find((each) => each.question === example.input.question);
		if (question === undefined) throw new Error(`no such question: ${JSON.stringify(example)}`);
		for (const repetition_number of numbers) {
			const answer = answers(question, repetition_number);
			if (answer === null) continue;
			const { output = null, error = null } = answer;
			const run = await send(server, "POST", `${path}/runs`, {
				dataset_example_id: example.node_id,
				repetition_number,
				output,
				error,
				start_time,
				end_time,
				trace_id: "0123456789abcdef0123456789abcdef",
			});
			if (error !== null) continue;
			const isCorrect = output === question.answer;
			await send(server, "POST", "/v1/experiment_evaluations", {
				experiment_run_id: run.id,
				name: "correctness",
				annotator_kind: "CODE",
				start_time,
				end_time,
				result: {
					score: isCorrect ? 1 : 0,
					label: isCorrect ? "correct" : "wrong",
					explanation: isCorrect ? "As expected." : "Not what was expected.",
				},
			});
		}
	}
	return id;
}

/** Right but for what is said otherwise. */
export function mostlyRight(wrong: Readonly<Record<string, string>> = {}): Answers {
	return ({ question, answer }) => ({ output: wrong[question] ?? answer });
}
