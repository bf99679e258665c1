import { ApiError } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { toWritable } from "../../lib/exact-json.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { formatJson, parseJson } from "../../ui/content/json-value.ts";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import type { Content, Example, JsonObject } from "./example-query.ts";
import { invalidateExamples } from "./invalidate-examples.ts";

const TEXTS = dataTexts.examples;
const PARTS = ["input", "output", "metadata"] as const;
type Part = (typeof PARTS)[number];

const LABELS: Record<Part, string> = {
	input: TEXTS.inputLabel,
	output: TEXTS.outputLabel,
	metadata: TEXTS.metadataLabel,
};

export interface ExampleFormProps {
	readonly dataset: string;
	/** The example when the form was opened. */
	readonly opened: { readonly example: Example; readonly etag: string | undefined };
	readonly onClose: () => void;
	/** Replaces the form's content by what is stored now. */
	readonly onReload: () => Promise<void>;
}

/** Changes an example, unless somebody else changed it meanwhile. */
export function ExampleForm({ dataset, opened, onClose, onReload }: ExampleFormProps): ReactNode {
	const queries = useQueryClient();
	const [{ example, etag }] = useState(opened);
	const [written, setWritten] = useState<Record<Part, string>>(() => ({
		input: formatJson(example.input),
		output: formatJson(example.output),
		metadata: formatJson(example.metadata),
	}));
	const [splits, setSplits] = useState(example.splits.join(", "));
	const [problems, setProblems] = useState<Partial<Record<Part, string>>>({});
	const save = useMutation({
		mutationFn: ({ content, tag }: { content: Content; tag: string | undefined }) =>
			api.patch("/v1/datasets/{id}/examples/{example_id}", {
				path: { id: dataset, example_id: example.node_id },
				headers: tag === undefined ? {} : { "if-match": tag },
				body: {
					...(toWritable({ ...content }) as Content),
					splits: splitNames(splits),
				},
			}),
		onSuccess: async () => {
			await invalidateExamples(queries, dataset);
			onClose();
		},
	});
	const isConflict = save.error instanceof ApiError && save.error.status === 412;
	const submit = (tag: string | undefined) => {
		const read = readContent(written);
		setProblems(read.problems);
		if (read.content) save.mutate({ content: read.content, tag });
	};
	const onSubmit = (event: SyntheticEvent) => {
		event.preventDefault();
		submit(etag);
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(etag);
		else if (event.key === "Escape") onClose();
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	return (
		<form onSubmit={onSubmit} onKeyDown={onKeyDown} className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-3">
			{PARTS.map((part) => (
				<Field key={part} label={LABELS[part]} error={problems[part]}>
					<textarea
						value={written[part]}
						spellCheck={false}
						aria-invalid={problems[part] !== undefined}
						rows={Math.min(16, Math.max(3, written[part].split("\n").length))}
						onChange={(event) => setWritten((before) => ({ ...before, [part]: event.target.value }))}
						className={classNames(
							"w-full resize-y rounded border bg-surface p-2 font-mono text-sm",
							problems[part] === undefined ? "border-line-strong" : "border-danger",
						)}
					/>
				</Field>
			))}
			<Field label={TEXTS.splitsLabel} hint={TEXTS.splitsHint}>
				<Input value={splits} onChange={(event) => setSplits(event.target.value)} />
			</Field>
			{isConflict ? (
				<div role="alert" className="flex flex-wrap items-center gap-2 rounded bg-warn-soft px-3 py-2 text-warn">
					{TEXTS.conflict}
					<Button onClick={() => void onReload()}>{TEXTS.loadTheirs}</Button>
					<Button look="danger" onClick={() => submit(undefined)}>
						{TEXTS.overwrite}
					</Button>
				</div>
			) : (
				<FormError error={save.error} />
			)}
			<div className="flex justify-end gap-2">
				<Button onClick={onClose}>{texts.action.cancel}</Button>
				<Button type="submit" look="primary" disabled={save.isPending}>
					{texts.action.save}
				</Button>
			</div>
		</form>
	);
}

function splitNames(text: string): string[] {
	const names = text.split(",").map((name) => name.trim());
	return [...new Set(names.filter((name) => name !== ""))];
}

/** The fields as objects, or what is wrong with them. */
function readContent(written: Record<Part, string>): {
	content?: Content;
	problems: Partial<Record<Part, string>>;
} {
	const problems: Partial<Record<Part, string>> = {};
	const content: Partial<Record<Part, JsonObject>> = {};
	for (const part of PARTS) {
		try {
			const value = parseJson(written[part].trim() || "{}");
			if (typeof value === "object" && value !== null && !Array.isArray(value)) content[part] = value as JsonObject;
			else problems[part] = TEXTS.notObject;
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			problems[part] = `${TEXTS.notJson} ${error.message}`;
		}
	}
	const { input, output, metadata } = content;
	return input && output && metadata ? { content: { input, output, metadata }, problems } : { problems };
}
