import { type ReactNode, type SyntheticEvent, useState } from "react";
import { texts } from "../../texts/en.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Button } from "../../ui/button.tsx";
import { formatJson, type Json } from "../../ui/content/json-value.ts";
import { FormError } from "../../ui/form-error.tsx";
import { JsonField } from "../../ui/json-field.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { serverProblems } from "./server-problems.ts";
import { bodyOf, type DraftProblems, draftOfBody, parseObject, type VersionDraft } from "./version-draft.ts";
import { VersionFields } from "./version-fields.tsx";

const TEXTS = promptTexts.form;

interface VersionEditorProps {
	readonly title: string;
	readonly action: string;
	readonly start: VersionDraft;
	readonly isPending: boolean;
	readonly error: Error | null;
	/** Called with undefined when the version has problems. */
	readonly onSubmit: (version: Record<string, unknown> | undefined) => void;
	readonly onLeave: () => void;
	/** Further fields, such as those of the prompt. */
	readonly children: (problems: DraftProblems) => ReactNode;
}

/** Edits a new version, as a form or as JSON. */
export function VersionEditor({
	title,
	action,
	start,
	isPending,
	error,
	onSubmit,
	onLeave,
	children,
}: VersionEditorProps): ReactNode {
	const [draft, setDraft] = useState(start);
	const [found, setFound] = useState<DraftProblems>({});
	/** The version as JSON; undefined while the form is shown. */
	const [json, setJson] = useState<string | undefined>();
	const answer = serverProblems(error);
	const problems = { ...answer.at, ...found };
	const change = (part: Partial<VersionDraft>) => setDraft({ ...draft, ...part });
	const show = (as: "form" | "json") => {
		if (as === "json" && json === undefined) {
			const { body, problems: bad } = bodyOf({ ...draft, model: draft.model || "-" });
			setFound(bad);
			if (body) setJson(formatJson({ ...body, model_name: draft.model } as Json));
		}
		if (as === "form" && json !== undefined) {
			const parsed = parseObject(json);
			const next = "value" in parsed ? draftOfBody(parsed.value) : undefined;
			setFound("problem" in parsed ? { json: parsed.problem } : next ? {} : { json: TEXTS.problems });
			if (next) {
				setDraft(next);
				setJson(undefined);
			}
		}
	};
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (json === undefined) {
			const { body, problems: bad } = bodyOf(draft);
			setFound(bad);
			return onSubmit(body);
		}
		const parsed = parseObject(json);
		setFound("problem" in parsed ? { json: parsed.problem } : {});
		onSubmit("value" in parsed ? parsed.value : undefined);
	};
	return (
		<form onSubmit={submit} noValidate className="mx-auto flex w-full max-w-3xl flex-col gap-5 p-4">
			<div className="flex flex-wrap items-center gap-3">
				<h1 className="min-w-0 flex-1 truncate font-semibold text-xl">{title}</h1>
				<SegmentedControl
					label={TEXTS.as}
					value={json === undefined ? "form" : "json"}
					onChange={show}
					choices={[
						{ value: "form", label: TEXTS.form },
						{ value: "json", label: TEXTS.json },
					]}
				/>
			</div>
			{children(problems)}
			{json === undefined ? (
				<VersionFields draft={draft} problems={problems} change={change} />
			) : (
				<JsonField
					label={TEXTS.jsonLabel}
					value={json}
					onChange={setJson}
					problem={problems["json"]}
					className="min-h-96"
				/>
			)}
			{json !== undefined && <Problems problems={answer.all} />}
			{answer.rest.length > 0 && json === undefined && <Problems problems={answer.rest} />}
			{answer.error && <FormError error={answer.error} />}
			<div className="sticky bottom-0 flex justify-end gap-2 border-line border-t bg-canvas py-3">
				<Button onClick={onLeave}>{texts.action.cancel}</Button>
				<Button type="submit" look="primary" disabled={isPending}>
					{action}
				</Button>
			</div>
		</form>
	);
}

function Problems({ problems }: { problems: readonly string[] }): ReactNode {
	if (problems.length === 0) return null;
	return (
		<div role="alert" className="rounded bg-danger-soft px-3 py-2 text-danger">
			<p>{TEXTS.problems}</p>
			<ul className="list-disc pl-5">
				{problems.map((problem) => (
					<li key={problem} className="[overflow-wrap:anywhere]">
						{problem}
					</li>
				))}
			</ul>
		</div>
	);
}
