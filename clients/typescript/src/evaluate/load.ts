import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createEvaluator, type Evaluator } from "../experiments/evaluators.ts";
import type { Task } from "../experiments/run-experiment.ts";
import { usageFailure } from "./exit.ts";

/** `file.ts`, or `file.ts:name` for one of its exports. */
const NAMED = /^(.+\.\w+):(\w+)$/;

/**
 * The task of a file: its export `task` or `default`, or the one that is named.
 * @throws ProgramFailure 64
 */
export async function loadTask(given: string): Promise<Task> {
	const { file, name, exports } = await load(given, "--task");
	const task = name === undefined ? (exports["task"] ?? exports["default"]) : exports[name];
	if (typeof task !== "function") throw usageFailure(`${file} exports no function ${name ?? "task"}.`);
	return (example) => task(example);
}

/**
 * The evaluators of a file: each of its exports that is an evaluator, a list of some, or a function, whose name is that of
 * the metric; or the one that is named.
 * @throws ProgramFailure 64
 */
export async function loadEvaluators(given: string): Promise<Evaluator[]> {
	const { file, name, exports } = await load(given, "--evaluator");
	const wanted = name === undefined ? Object.entries(exports) : [[name, exports[name]] as const];
	const found = wanted.flatMap(([exported, value]) => toEvaluators(exported, value));
	if (found.length === 0) throw usageFailure(`${file} exports no evaluator${name === undefined ? "" : ` ${name}`}.`);
	return found;
}

async function load(given: string, option: string) {
	const [, file = given, name] = NAMED.exec(given) ?? [];
	const path = resolve(file);
	if (!existsSync(path)) throw usageFailure(`${option}: there is no file ${file}.`);
	try {
		const exports: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
		return { file, name, exports };
	} catch (error) {
		const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
		throw usageFailure(`${file} cannot be loaded: ${reason}`);
	}
}

function toEvaluators(exported: string, value: unknown): Evaluator[] {
	if (Array.isArray(value)) return value.flatMap((item) => toEvaluators(exported, item));
	if (typeof value === "function") {
		const name = exported === "default" ? value.name : exported;
		return [createEvaluator({ name, evaluate: (run) => value(run) })];
	}
	return isEvaluator(value) ? [value] : [];
}

function isEvaluator(value: unknown): value is Evaluator {
	if (typeof value !== "object" || value === null) return false;
	return typeof Reflect.get(value, "name") === "string" && typeof Reflect.get(value, "evaluate") === "function";
}
