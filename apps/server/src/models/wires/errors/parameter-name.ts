/** Parameters as providers call them, in snake case, with what stands for each in invocation parameters and variants. */
const PARAMETERS: Readonly<Record<string, string>> = {
	temperature: "temperature",
	top_p: "top_p",
	top_k: "top_k",
	max_tokens: "max_tokens",
	max_completion_tokens: "max_completion_tokens",
	max_output_tokens: "max_output_tokens",
	frequency_penalty: "frequency_penalty",
	presence_penalty: "presence_penalty",
	seed: "seed",
	stop: "stop",
	stop_sequences: "stop_sequences",
	reasoning_effort: "reasoning_effort",
	reasoning: "reasoning_effort",
	effort: "reasoning_effort",
	thinking: "thinking",
	thinking_config: "thinking_config",
	thinking_budget: "thinking_config",
	thinking_level: "thinking_config",
	include_thoughts: "thinking_config",
	output_config: "output_config",
	response_format: "response_format",
	output_format: "response_format",
	text: "response_format",
	response_json_schema: "response_format",
	response_schema: "response_format",
	response_mime_type: "response_format",
	tools: "tools",
	tool_choice: "tool_choice",
	tool_config: "tools",
	function_calling_config: "tool_choice",
	parallel_tool_calls: "disable_parallel_tool_calls",
	disable_parallel_tool_use: "disable_parallel_tool_calls",
	stream_options: "stream_options",
};

/** Members that only hold others: the parameter is what comes after them. */
const HOLDERS: ReadonlySet<string> = new Set([
	...["body", "generation_config", "inference_config", "additional_model_request_fields"],
]);

/** What a provider means that names a parameter by its path: `generation_config.topP`, `reasoning.effort`, `tools[0].name`. */
export function parameterAt(path: string): string | undefined {
	const names = path.split(/[.[\]/]+/).map(snakeCase);
	if (names[0] === "output_config" && names[1] === "format") return "response_format";
	const name = names.find((part) => part !== "" && !HOLDERS.has(part));
	return name !== undefined && Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
}

/** The first parameter that a sentence names, in quotes of any kind or bare. */
export function parameterIn(sentence: string): string | undefined {
	for (const [word] of sentence.matchAll(/[A-Za-z_][\w.]*/g)) {
		// Words of plain English are meant as parameters only where they are written as such.
		const isName = /[_.]|[a-z][A-Z]|^(temperature|seed|thinking)$/i.test(word);
		const parameter = isName ? parameterAt(word.replace(/\.$/, "")) : undefined;
		if (parameter !== undefined) return parameter;
	}
	const [, quoted] = /[`'"](stop|tools|text|reasoning|effort)[`'"]/.exec(sentence) ?? [];
	return quoted === undefined ? undefined : parameterAt(quoted);
}

function snakeCase(name: string): string {
	return name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
