import { describe, expect, it } from "vitest";
import { FilterError, type FilterTarget, PROMPT_VERSION, parseFilter, RESOURCE } from "./index.ts";

function problemOf(target: FilterTarget, input: string) {
	try {
		parseFilter(target, input);
	} catch (error) {
		if (!(error instanceof FilterError)) throw error;
		const { message, position, length, suggestions } = error;
		return { message, at: input.slice(position, position + length), suggestions };
	}
	return undefined;
}

describe("invalid expressions", () => {
	it.each<[FilterTarget, string, string, string, string[]]>([
		["span", "latency_ms > '100'", "cannot compare number and string, write 100 instead of '100'", "'100'", ["100"]],
		["span", "name == 5", "cannot compare string and number, write '5' instead of 5", "5", ["'5'"]],
		["span", "name = 'a'", 'write "==" instead of "="', "=", ["=="]],
		["span", "name == 'a' && latency_ms > 1", 'write "and" instead of "&&"', "&&", ["and"]],
		["span", "name == 'a' AND latency_ms > 1", "write and instead of AND", "AND", ["and"]],
		["span", "metadata['a'] == true", "write True instead of true", "true", ["True"]],
		["span", "name // 2 == 1", '"//" is no operator here', "//", []],
		["span", "name == 'abc", "this text has no closing '", "'abc", []],
		["span", "(name is 'abc')", "write == instead of is", "is", ["=="]],
		["span", "name in [worker]", "a list holds texts, numbers, True and False", "worker", ["'worker'"]],
		[
			"span",
			"start_time > '2026-01-31T12:00:00'",
			"this time has no offset; end it with Z for UTC, or with one such as +02:00",
			"'2026-01-31T12:00:00'",
			["'2026-01-31T12:00:00Z'"],
		],
		[
			"span",
			"start_time > '2026-02-30T12:00:00Z'",
			"this is no time such as '2026-01-31T12:00:00Z'",
			"'2026-02-30T12:00:00Z'",
			["'2026-01-31T12:00:00Z'"],
		],
		["span", "annotations['a'].scroe > 1", "an annotation has no scroe", "scroe", ["score"]],
		["span", "a\0b", "a filter has no NUL characters", "\0", []],
		["span", "f'x' in name", 'write the text without "f" before it', "f'", []],
		["trace", "num_span > 3", "a trace has no field num_span", "num_span", ["num_spans"]],
		["trace", "any(x.latency > 3 for x in spans)", "a span has no field latency", "x.latency", ["x.latency_ms"]],
		[
			"trace",
			"any(x.name == 'a' for x in span)",
			"this is no collection",
			"span",
			["spans", "span_annotations", "span_cost_details"],
		],
		["trace", "any(spans)", '"for" is missing, as in any(x.latency_ms > 1000 for x in spans)', ")", []],
		[
			"trace",
			"sqrt(latency_ms) > 1",
			'there is no function "sqrt"',
			"sqrt",
			["float", "int", "str", "any", "all", "sum", "max", "min", "len"],
		],
		["session", "any_input == 'a'", "any_input stands only on the right of in: 'text' in any_input", "any_input", []],
		["session", "(num_traces > 1", 'a closing ")" is missing', "", [")"]],
	])("in a filter of %ss: %s", (target, input, message, at, suggestions) => {
		expect(problemOf(target, input)).toEqual({ message, at, suggestions });
	});

	it.each<[FilterTarget, string, string, string, string[]]>([
		[
			"trace",
			"latency_ms > 5 and sapn_kind == 'LLM'",
			"a trace has no field sapn_kind; spans have span_kind",
			"sapn_kind == 'LLM'",
			["any(x.span_kind == 'LLM' for x in spans)"],
		],
		[
			"trace",
			"not (model in ['a', 'b'])",
			"a trace has no field model; spans have model",
			"model in ['a', 'b']",
			["any(x.model in ['a', 'b'] for x in spans)"],
		],
		[
			"session",
			"'LLM' == kind",
			"a session has no field kind; spans have span_kind",
			"'LLM' == kind",
			["any('LLM' == x.span_kind for x in spans)"],
		],
		[
			"trace",
			"any(status_mesage == 'ERROR' for y in spans)",
			"a trace has no field status_mesage; spans have status_message",
			"status_mesage",
			["y.status_message"],
		],
		[
			"trace",
			"len([x for x in trace_annotations if provider == 'a']) > 1",
			"a trace has no field provider; spans have provider",
			"provider",
			[],
		],
		["trace", "duration > 5", "a trace has no field duration", "duration", ["latency_ms"]],
		["trace", "tenant == 'gold'", "a trace has no field tenant", "tenant", []],
	])("in a filter of %ss, which looks for what spans have: %s", (target, input, message, at, suggestions) => {
		const problem = problemOf(target, input);
		expect(problem).toEqual({ message, at, suggestions });
		for (const suggestion of suggestions) {
			expect(problemOf(target, input.replace(at, suggestion)), suggestion).toBeUndefined();
		}
	});

	it("suggests the field that an attribute without dots may have been meant to be", () => {
		const { condition, hints } = parseFilter("span", "latncy_ms > 5");
		expect(condition).toMatchObject({ left: { type: "attribute", path: ["latncy_ms"] } });
		expect(hints).toMatchObject([{ position: 0, length: 9, suggestions: ["latency_ms"] }]);
		expect(parseFilter("span", "tier == 'gold'").hints).toEqual([]);
	});

	it.each([
		["sapn_kind == 'LLM'", ["span_kind"]],
		["Name == 'a'", ["name"]],
		["latency > 5", ["latency_ms"]],
		["cost > 0", ["total_cost"]],
		["kind == 'LLM'", ["span_kind"]],
		["duration_ms > 5", ["latency_ms"]],
		["user.di == 'u'", ["user_id"]],
		["token_count_total > 5", ["llm_token_count_total"]],
		["score < 0.5", ["annotations['name'].score"]],
		["context.spanid == 'a'", ["context.span_id"]],
		["num_spans > 3", []],
	])("warns of %s, which asks for an attribute", (filter, suggestions) => {
		const { hints, condition } = parseFilter("span", filter);
		expect(condition).toBeDefined();
		expect(hints).toMatchObject([{ position: 0, length: filter.split(" ")[0]?.length, suggestions }]);
	});

	it.each([
		"llm.model_name == 'a'",
		"input.value == 'a'",
		"session.id == 's'",
		"user.id == 'u'",
		"tenant == 'a'",
		"attributes['cost'] > 0",
		"metadata['name'] == 'a'",
	])("warns not of %s", (filter) => {
		expect(parseFilter("span", filter).hints).toEqual([]);
	});

	it("suggests only valid names", () => {
		for (const name of ["cost", "score", "tokens", "input", "num_traces", "error_count", "label"]) {
			const [hint] = parseFilter("span", `${name} is None`).hints;
			for (const suggestion of hint?.suggestions ?? []) {
				expect(parseFilter("span", `${suggestion} is None`).hints, suggestion).toEqual([]);
			}
		}
	});
});

describe("valid expressions", () => {
	it("looks for whole tags, in attributes of resources, and for versions of prompts", () => {
		expect(parseFilter("span", "'vip' in tags").condition).toEqual({ type: "has_tag", row: 0, tag: "vip" });
		expect(parseFilter("span", "'vip' not in tags").condition).toMatchObject({
			type: "not",
			condition: { tag: "vip" },
		});
		expect(parseFilter("trace", "resource['service.name'] == 'a'").condition).toMatchObject({
			left: { path: [RESOURCE, "service", "name"], as: "text" },
		});
		expect(parseFilter("span", "prompt_version == 'a'").condition).toMatchObject({ left: { path: PROMPT_VERSION } });
		expect(parseFilter("span", "resource.name == 'a'").condition).toMatchObject({
			left: { path: ["resource", "name"] },
		});
		expect(() => parseFilter("span", "tags == 'vip'")).toThrow("tags stands only on the right of in");
		expect(() => parseFilter("span", "latency_ms > 1 and name in tags")).toThrow(
			"write a whole tag on the left of in tags",
		);
		expect(() => parseFilter("trace", "any('a' in x.parent_span.tags for x in spans)")).toThrow("has no field tags");
	});

	it("splits chained comparisons, and writes kinds and ids as they are stored", () => {
		expect(parseFilter("span", "0.5 < latency_ms < 1_000").condition).toMatchObject({
			type: "and",
			conditions: [
				{ operator: "<", left: { value: 0.5 }, right: { name: "latency_ms" } },
				{ operator: "<", left: { name: "latency_ms" }, right: { value: 1000 } },
			],
		});
		expect(parseFilter("span", "span_kind in ['llm'] and span_id == '00000000000000AB'").condition).toMatchObject({
			conditions: [{ list: [{ value: "LLM" }] }, { right: { value: "00000000000000ab" } }],
		});
	});

	it.each([
		["span_id == 'CAFE'", { right: { value: "CAFE" } }],
		[`span_id == '${"CAFE".repeat(8)}'`, { right: { value: "CAFE".repeat(8) } }],
		[`trace_id == '${"CAFE".repeat(8)}'`, { right: { value: "cafe".repeat(8) } }],
		["trace_id in ['CAFE']", { list: [{ value: "CAFE" }] }],
		["span_id > 'CAFE'", { right: { value: "cafe" } }],
	])("leaves ids that are not OpenTelemetry's as somebody sent them: %s", (input, condition) => {
		expect(parseFilter("span", input).condition).toMatchObject(condition);
	});

	it.each([
		["attributes['llm.model_name'] == 'a'", ["llm", "model_name"]],
		["attributes['llm']['model_name'] == 'a'", ["llm", "model_name"]],
		["attributes[['llm', 'model_name']] == 'a'", ["llm", "model_name"]],
		["llm.model_name == 'a'", ["llm", "model_name"]],
		["metadata['a.b'] == 'a'", ["metadata", "a", "b"]],
		["llm.input_messages.0.message.role == 'a'", ["llm", "input_messages", "0", "message", "role"]],
		["llm.input_messages[0].message.role == 'a'", ["llm", "input_messages", "0", "message", "role"]],
	])("splits the path of an attribute at dots: %s", (input, path) => {
		expect(parseFilter("span", input).condition).toMatchObject({ left: { type: "attribute", path, as: "text" } });
	});

	it("reads times with microseconds and offsets", () => {
		const micros = (time: string) =>
			(parseFilter("span", `start_time > '${time}'`).condition as unknown as { right: { value: number } }).right.value;
		expect(micros("1970-01-01T00:00:01.000002Z")).toBe(1_000_002);
		expect(micros("1970-01-01 01:00+01:00")).toBe(0);
		expect(micros("1970-01-01T00:00:00.1234567-0030")).toBe(1_800_123_456);
		expect(micros("0050-01-02T03:04:05Z")).toBe(-60_589_198_555_000_000);
	});

	it("is plain data that can be posted to another thread", () => {
		const { condition } = parseFilter("trace", "any(x.annotations['a'].score > 1 for x in spans if x.name in ['b'])");
		expect(structuredClone(condition)).toEqual(condition);
	});

	it("treats names such as constructor as attributes", () => {
		expect(parseFilter("span", "constructor == 'a'").condition).toMatchObject({ left: { path: ["constructor"] } });
		expect(problemOf("trace", "__proto__ == 'a'")?.message).toBe("a trace has no field __proto__");
		expect(problemOf("trace", "toString(latency_ms) == 'a'")?.message).toBe('there is no function "toString"');
	});
});

describe("words", () => {
	it.each([
		["order timed out", "order timed out"],
		['"timeout"', "timeout"],
		["'order timed out'", "order timed out"],
		["not found", "not found"],
		["timeout in worker", "timeout in worker"],
		["what's wrong", "what's wrong"],
		["gpt-4o", "gpt-4o"],
		["50% of /api/users", "50% of /api/users"],
		["llm.model_name", "llm.model_name"],
		["latency_ms", "latency_ms"],
		["ünder", "ünder"],
	])("%s is a text to search for", (input, text) => {
		expect(parseFilter("span", input)).toEqual({ text, hints: [] });
	});

	it.each(["parent_id is None", "'a' in name", "name in worker", "annotations['a']", "parent_span is not None"])(
		"%s is a condition",
		(input) => {
			expect(parseFilter("span", input).condition).toBeDefined();
		},
	);

	it.each([
		"a == ",
		"timeout (worker)",
		"latency_ms >",
		"'a' in 5",
		"x is None None",
		"name is 'root'",
		"name is not 'a'",
	])("%s is an error", (input) => {
		expect(problemOf("span", input)).toBeDefined();
	});

	it("are absent for a blank input", () => {
		expect(parseFilter("span", " \n")).toEqual({ hints: [] });
	});
});

describe("bounds", () => {
	it.each([
		["brackets", `${"(".repeat(3_000)}1 == 1${")".repeat(3_000)}`],
		["nots", `${"not ".repeat(2_000)}name == 'a'`],
		["signs", `${"-".repeat(5_000)}1 == 1`],
		["terms", Array.from({ length: 400 }, () => "name == 'a'").join(" or ")],
		["a sum", `${Array.from({ length: 100 }, () => "latency_ms").join(" + ")} > 1`],
		[
			"nesting",
			"any(any(any(any(z.name == 'a' for z in y.children) for y in x.children) for x in w.children) for w in spans)",
		],
		["collections", Array.from({ length: 40 }, () => "len([x for x in spans]) > 1").join(" and ")],
		["annotations", `${Array.from({ length: 4 }, () => "trace_annotations['a'].score").join(" + ")} > 1`],
		["length", `name == '${"a".repeat(10_000)}'`],
	])("refuses too much of %s", (_name, input) => {
		expect(problemOf("trace", input)?.message).toMatch(/deep|at most|too long/);
	});

	it("accepts a list of hundreds of ids", () => {
		const ids = Array.from({ length: 500 }, (_, index) => `'${index.toString(16).padStart(16, "0")}'`);
		expect(parseFilter("span", `span_id in [${ids.slice(0, 450).join(",")}]`).condition).toBeDefined();
	});

	it("fails only with FilterError on random input", () => {
		const seed = Math.floor(Math.random() * 1e9);
		let state = seed;
		const random = (limit: number) => {
			state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
			return Math.floor((state / 0x80000000) * limit);
		};
		const pieces =
			"any( all( len([ sum( for x in spans .children x. if and or not in is None True 'a' \" ' [ ] ( ) == != < > + - * / % . , 1 0.5 1e9 name latency_ms attributes[ \"k\" ] annotations[ .score \\ \\u00 é 💥 \0 \n # lambda := ** start_time '2026-01-01T00:00:00Z' float( str( parent_span".split(
				" ",
			);
		for (let round = 0; round < 20_000; round += 1) {
			const input = Array.from({ length: random(25) }, () =>
				random(10) === 0
					? String.fromCharCode(random(0x10000))
					: `${pieces[random(pieces.length)]}${random(2) ? " " : ""}`,
			).join("");
			const target = (["span", "trace", "session"] as const)[random(3)] ?? "span";
			try {
				parseFilter(target, input);
			} catch (error) {
				if (!(error instanceof FilterError))
					throw new Error(`seed ${seed}: ${JSON.stringify(input)}`, { cause: error });
				expect(error.position, `seed ${seed}: ${JSON.stringify(input)}`).toBeLessThanOrEqual(input.length);
			}
		}
		for (const text of [
			"'".repeat(9_999),
			"\\'".repeat(4_999),
			"a.".repeat(4_999),
			"[".repeat(9_999),
			`"${"\\".repeat(9_998)}`,
			"a in ".repeat(1_999),
			'""'.repeat(4_999),
		])
			try {
				parseFilter("span", text);
			} catch (error) {
				expect(error).toBeInstanceOf(FilterError);
			}
	});
});
