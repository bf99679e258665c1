import type * as root from "@arizeai/phoenix-client";
import type * as datasets from "@arizeai/phoenix-client/datasets";
import type * as experiments from "@arizeai/phoenix-client/experiments";
import type * as prompts from "@arizeai/phoenix-client/prompts";
import type * as sessions from "@arizeai/phoenix-client/sessions";
import type * as spans from "@arizeai/phoenix-client/spans";
import type * as traces from "@arizeai/phoenix-client/traces";

/** The modules of a client, by the names and calls of the released one. */
export interface ClientModules {
	readonly root: typeof root;
	readonly spans: typeof spans;
	readonly traces: typeof traces;
	readonly sessions: typeof sessions;
	readonly datasets: typeof datasets;
	readonly experiments: typeof experiments;
	readonly prompts: typeof prompts;
}

type PhoenixClient = ReturnType<typeof root.createClient>;

/** What a check calls; made before the first of them runs. */
export interface ClientUnderTest extends ClientModules {
	/** With the rights of a member, or a viewer. */
	readonly client: PhoenixClient;
	readonly admin: PhoenixClient;
	/** Whether `client` may do what takes an admin. */
	readonly mayAdministrate: boolean;
	/** Whether an experiment tells what of it could not be stored; the released client goes on. */
	readonly tellsUnstored: boolean;
}

/** The functions of a client's modules, which note that they were called. */
export class RecordedModules {
	readonly modules: ClientModules;
	/** Every public function, as `spans.getSpans`. */
	readonly functions: readonly string[];
	readonly #called = new Set<string>();

	constructor(modules: ClientModules) {
		this.functions = Object.entries(modules).flatMap(([name, module]) =>
			Object.entries(module)
				.filter(([, value]) => isFunction(value))
				.map(([key]) => `${name}.${key}`),
		);
		const recorded = Object.entries(modules).map(([name, module]) => [name, this.#record(name, module)]);
		this.modules = Object.fromEntries(recorded) as ClientModules;
	}

	/** Functions that nobody called. */
	get uncalled(): readonly string[] {
		return this.functions.filter((name) => !this.#called.has(name));
	}

	#record(name: string, module: object): object {
		// A module's namespace does not let a proxy answer otherwise.
		return new Proxy(
			{ ...module },
			{
				get: (target, key, receiver) => {
					const value: unknown = Reflect.get(target, key, receiver);
					if (isFunction(value)) this.#called.add(`${name}.${String(key)}`);
					return value;
				},
			},
		);
	}
}

/** No class. */
function isFunction(value: unknown): boolean {
	return typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value));
}
