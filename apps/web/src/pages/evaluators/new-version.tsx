import type { EvaluatorVersionOfEvaluator } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { parseObject } from "../../evaluating/json-text.ts";
import { type Evaluator, refreshEvaluators, type VersionBody } from "../../evaluating/queries.ts";
import { ServerIssues } from "../../evaluating/server-issues.tsx";
import { api } from "../../lib/api.ts";
import { evaluatorTexts as TEXTS } from "../../texts/evaluators-en.ts";
import { Button } from "../../ui/button.tsx";
import { HighlightedArea } from "../../ui/highlighting/highlighted-area.tsx";
import { Field } from "../../ui/input.tsx";
import { JsonField } from "../../ui/json-field.tsx";
import { JudgeMessagesField } from "./judge-messages-field.tsx";
import { joinVersion, splitVersion } from "./split-version.ts";

/** A new version, written from an existing one. */
export function NewVersion({
	evaluator,
	from,
	onLeave,
	onSaved,
}: {
	evaluator: Evaluator;
	from: EvaluatorVersionOfEvaluator;
	onLeave: () => void;
	onSaved: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const [texts, setTexts] = useState(() => splitVersion(from.version).texts);
	const [json, setJson] = useState(() => JSON.stringify(splitVersion(from.version).rest, null, 2));
	const read = parseObject(json);
	const save = useMutation({
		// The server checks that it is a version.
		mutationFn: (version: VersionBody) =>
			api.post("/v1/evaluators/{evaluator_identifier}/versions", {
				path: { evaluator_identifier: evaluator.id },
				body: { version, ...(from.template === null ? {} : { template: from.template }) },
			}),
		onSuccess: async () => {
			await refreshEvaluators(queries);
			onSaved();
		},
	});
	const { source, messages } = texts;
	const isWhole = source === undefined && messages === undefined;
	return (
		<form
			className="flex flex-col gap-3 p-4"
			onSubmit={(event) => {
				event.preventDefault();
				if ("value" in read) save.mutate(joinVersion(texts, read.value) as unknown as VersionBody);
			}}
		>
			<h2 className="font-semibold text-lg">{TEXTS.newVersion}</h2>
			<p className="text-muted">{TEXTS.newVersionHint}</p>
			{source !== undefined && (
				<Field label={TEXTS.form.source} hint={TEXTS.form.sourceHint}>
					<HighlightedArea
						required
						language="code"
						value={source}
						className="max-h-[60vh] min-h-52 rounded border border-line-strong"
						onChange={(event) => setTexts({ source: event.target.value })}
					/>
				</Field>
			)}
			{messages !== undefined && (
				<JudgeMessagesField
					messages={messages}
					format={formatOf(from.version)}
					onChange={(changed) => setTexts({ messages: changed })}
				/>
			)}
			<JsonField
				label={isWhole ? TEXTS.versionJson : TEXTS.restJson}
				value={json}
				onChange={setJson}
				problem={"problem" in read ? read.problem : undefined}
				className={isWhole ? "min-h-80" : "min-h-40"}
			/>
			<ServerIssues error={save.error} />
			<div className="flex justify-end gap-2">
				<Button onClick={onLeave}>{TEXTS.form.cancel}</Button>
				<Button type="submit" look="primary" disabled={save.isPending || "problem" in read}>
					{TEXTS.saveVersion}
				</Button>
			</div>
		</form>
	);
}

function formatOf(version: EvaluatorVersionOfEvaluator["version"]) {
	return (version.kind === "LLM" ? version.variant.template_format : undefined) ?? "MUSTACHE";
}
