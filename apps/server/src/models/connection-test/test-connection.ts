import type { ProbeStep } from "#base/outgoing/probe.ts";
import type { CallOptions } from "../call-model.ts";
import type { OpenConnection } from "../connection.ts";
import { ModelError } from "../model-error.ts";
import type { ModelAnswer, ModelRequest } from "../model-request.ts";
import { TEST_CALLS, type TestCall } from "./test-calls.ts";
import { type TestStep, TestSteps } from "./test-steps.ts";

/** What a connection is tested through. */
export interface TestedProvider {
	probe(): Promise<readonly ProbeStep[]>;
	/** @throws ModelError */
	listModels(): Promise<readonly string[]>;
	/** @throws ModelError */
	ask(request: ModelRequest, onDelta: CallOptions["onDelta"]): Promise<ModelAnswer>;
}

/**
 * Tries a connection step by step, as far as each step needs the one before it. Without a model nothing is asked that
 * costs.
 */
export async function testConnection(
	provider: TestedProvider,
	connection: Pick<OpenConnection, "credentials" | "kind">,
	model: string | undefined,
): Promise<readonly TestStep[]> {
	const steps = new TestSteps();
	const isReached = noteWay(steps, await provider.probe());
	if (!isReached) return steps.skipRest("An earlier step failed.");
	if (!(await tryList(steps, provider, connection, model))) return steps.skipRest("An earlier step failed.");
	if (model === undefined) return steps.skipRest("No model was named to try.");
	for (const call of TEST_CALLS) {
		const goesOn = await tryCall(steps, provider, connection, { call, model });
		if (!goesOn) break;
	}
	return steps.skipRest("An earlier step failed.");
}

function noteWay(steps: TestSteps, way: readonly ProbeStep[]): boolean {
	for (const { name, seen, fault, milliseconds } of way) {
		steps.note(name, fault === undefined ? "ok" : "failed", seen, milliseconds, fault?.setting);
	}
	return way.every(({ fault }) => fault === undefined);
}

/** Tells from the list of models whether the credentials are taken. Returns whether calls are worth trying. */
async function tryList(
	steps: TestSteps,
	provider: TestedProvider,
	{ credentials }: Pick<OpenConnection, "credentials">,
	model: string | undefined,
): Promise<boolean> {
	const begun = performance.now();
	const took = () => performance.now() - begun;
	const sends = Object.keys(credentials).length > 0;
	try {
		const names = await provider.listModels();
		const seen = sends ? "The provider gave its list of models." : "No credentials are sent, and none were asked for.";
		steps.note("authentication", "ok", seen, took());
		steps.note("model_list", ...describeList(names, model), took());
		return true;
	} catch (error) {
		if (!(error instanceof ModelError)) throw error;
		return noteListFailure(steps, error, took());
	}
}

function describeList(names: readonly string[], model: string | undefined): readonly ["ok" | "warning", string] {
	if (names.length === 0) return ["warning", "The provider lists no models. Add their names by hand."];
	if (model === undefined || names.includes(model)) {
		return ["ok", `The provider lists ${names.length} models, such as ${names.slice(0, 3).join(", ")}.`];
	}
	return ["warning", `The provider lists ${names.length} models, and ${model} is none of them.`];
}

function noteListFailure(steps: TestSteps, error: ModelError, took: number): boolean {
	const { code, message, status } = error;
	if (code === "authentication" && status !== 403) {
		steps.note("authentication", "failed", message, took);
		return false;
	}
	const isUnknown = "The list of models did not tell whether the credentials are taken; a call does.";
	if (code === "authentication") {
		// Keys may call models without the right to list them.
		steps.note("authentication", "warning", isUnknown, took);
		steps.note("model_list", "warning", message, took);
		return true;
	}
	const isMissing = status === 404 || status === 405 || status === 501;
	steps.note("authentication", "skipped", isUnknown, took);
	if (isMissing) {
		steps.note("model_list", "warning", "The provider has no list of models. Add their names by hand.", took);
	} else steps.note("model_list", "failed", message, took);
	return isMissing;
}

/** Returns whether further calls are worth trying. */
async function tryCall(
	steps: TestSteps,
	provider: TestedProvider,
	{ kind }: Pick<OpenConnection, "kind">,
	{ call, model }: { readonly call: TestCall; readonly model: string },
): Promise<boolean> {
	const begun = performance.now();
	const took = () => performance.now() - begun;
	let pieces = 0;
	const onDelta = call.isStreamed ? () => (pieces += 1) : undefined;
	try {
		const answer = await provider.ask(call.request(model, kind), onDelta);
		steps.note(call.name, ...call.describe(answer, pieces), took());
		return true;
	} catch (error) {
		if (!(error instanceof ModelError)) throw error;
		const isMissing = call.isOptional && /^(bad_request|unsupported_parameter|model_not_found)$/.test(error.code);
		steps.note(call.name, isMissing ? "warning" : "failed", error.message, took());
		return isMissing;
	}
}
