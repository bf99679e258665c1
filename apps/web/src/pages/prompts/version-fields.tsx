import type { PromptVersion } from "@spanward/client";
import type { ReactNode } from "react";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Field, Input } from "../../ui/input.tsx";
import { JsonField } from "../../ui/json-field.tsx";
import { Select } from "../../ui/select.tsx";
import { MessagesField } from "./messages-field.tsx";
import type { DraftFieldProps } from "./version-draft.ts";

const TEXTS = promptTexts.form;

const PROVIDERS: readonly PromptVersion["model_provider"][] = [
	"OPENAI",
	"AZURE_OPENAI",
	"ANTHROPIC",
	"GOOGLE",
	"AWS",
	"DEEPSEEK",
	"XAI",
	"OLLAMA",
	"CEREBRAS",
	"FIREWORKS",
	"GROQ",
	"MOONSHOT",
	"MINIMAX",
	"PERPLEXITY",
	"TOGETHER",
	"ZAI",
	"META",
];

/** The fields of a version. */
export function VersionFields({ draft, problems, change }: DraftFieldProps): ReactNode {
	return (
		<>
			<div className="grid gap-3 sm:grid-cols-[12rem_1fr]">
				<Field label={promptTexts.provider} error={problems["model_provider"]}>
					<Select
						value={draft.provider}
						onChange={(provider) => change({ provider })}
						choices={PROVIDERS.map((value) => ({ value, label: value }))}
					/>
				</Field>
				<Field label={promptTexts.modelName} error={problems["model_name"]}>
					<Input
						value={draft.model}
						maxLength={1000}
						aria-invalid={problems["model_name"] !== undefined}
						onChange={(event) => change({ model: event.target.value })}
					/>
				</Field>
			</div>
			<MessagesField draft={draft} problems={problems} change={change} />
			<JsonField
				label={TEXTS.parameters}
				hint={draft.provider === "ANTHROPIC" ? TEXTS.anthropicMax : TEXTS.parametersHint}
				value={draft.parameters}
				onChange={(parameters) => change({ parameters })}
				problem={problems["invocation_parameters"]}
			/>
			<JsonField
				label={TEXTS.tools}
				hint={TEXTS.toolsHint}
				value={draft.tools}
				onChange={(tools) => change({ tools })}
				problem={problems["tools"]}
			/>
			<JsonField
				label={TEXTS.responseFormat}
				hint={TEXTS.responseFormatHint}
				value={draft.responseFormat}
				onChange={(responseFormat) => change({ responseFormat })}
				problem={problems["response_format"]}
			/>
			<Field label={TEXTS.versionDescription} error={problems["description"]}>
				<Input
					value={draft.description}
					maxLength={10_000}
					onChange={(event) => change({ description: event.target.value })}
				/>
			</Field>
		</>
	);
}
