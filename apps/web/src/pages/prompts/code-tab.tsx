import { type ReactNode, useState } from "react";
import { config } from "../../lib/config.ts";
import { ownServer } from "../../lib/snippet-server.ts";
import { variablesOf } from "../../lib/template-parts.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { Select } from "../../ui/select.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { NumberedVersion } from "./numbered.ts";
import { type FetchBy, promptSnippets, type SnippetLanguage } from "./prompt-snippets.ts";
import { templateTexts } from "./template-texts.ts";

const TEXTS = promptTexts.code;
const LANGUAGES = ["python", "typescript", "curl"] as const;

/** Code that fetches the prompt: this version, the version with a tag, or the newest. */
export function CodeTab({
	prompt,
	version,
	tags,
}: {
	prompt: string;
	version: NumberedVersion;
	/** All tags of the prompt. */
	tags: readonly string[];
}): ReactNode {
	const [by, setBy] = useState<FetchBy["by"]>(version.tags.length > 0 ? "tag" : "version");
	const [chosen, setChosen] = useState<string | undefined>();
	const [language, setLanguage] = useState<SnippetLanguage>("python");
	const tag = tags.find((each) => each === chosen) ?? version.tags[0] ?? tags[0];
	const fetchBy: FetchBy | undefined =
		by === "version" ? { by, id: version.id } : by === "latest" ? { by } : tag === undefined ? undefined : { by, tag };
	const hints = { version: TEXTS.versionHint, tag: TEXTS.tagHint, latest: TEXTS.latestHint };
	return (
		<div className="flex min-w-0 flex-col gap-3">
			<div className="flex flex-wrap items-center gap-2">
				<SegmentedControl
					label={TEXTS.fetchBy}
					value={by}
					onChange={setBy}
					choices={[
						{ value: "version", label: TEXTS.version },
						{ value: "tag", label: TEXTS.tag },
						{ value: "latest", label: TEXTS.latest },
					]}
				/>
				{by === "tag" && tag !== undefined && (
					<Select
						label={TEXTS.which}
						value={tag}
						onChange={setChosen}
						choices={tags.map((value) => ({ value, label: value }))}
					/>
				)}
			</div>
			<p className="text-muted">{fetchBy === undefined ? TEXTS.noTag : hints[by]}</p>
			{fetchBy !== undefined && (
				<>
					{config.auth.enabled && <p>{TEXTS.key}</p>}
					<Snippets
						prompt={prompt}
						variables={variablesOf(templateTexts(version), version.template_format)}
						fetchBy={fetchBy}
						language={language}
						onLanguage={setLanguage}
					/>
				</>
			)}
		</div>
	);
}

function Snippets({
	prompt,
	variables,
	fetchBy,
	language,
	onLanguage,
}: {
	prompt: string;
	variables: readonly string[];
	fetchBy: FetchBy;
	language: SnippetLanguage;
	onLanguage: (language: SnippetLanguage) => void;
}): ReactNode {
	const all = promptSnippets({ ...ownServer(), prompt, variables, fetchBy });
	return (
		<Tabs
			label={TEXTS.language}
			value={language}
			onChange={onLanguage}
			className="shrink-0 overflow-hidden rounded-md border border-line"
			items={LANGUAGES.map((value) => ({
				value,
				label: TEXTS[value],
				content: (
					<div className="flex flex-col gap-2 bg-sunken p-3">
						<CodeBlock text={all[value].environment} label={TEXTS.environment} />
						{all[value].install && <CodeBlock text={all[value].install} label={TEXTS.install} />}
						<CodeBlock text={all[value].code} label={TEXTS.codeLabel} />
					</div>
				),
			}))}
		/>
	);
}
