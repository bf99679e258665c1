import { ApiError, type PromptVersion } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { texts } from "../../texts/en.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { formatJson, type Json } from "../../ui/content/json-value.ts";
import { FieldProblem } from "../../ui/field-problem.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { Select } from "../../ui/select.tsx";
import type { NumberedVersion } from "./numbered.ts";
import { refreshPrompts } from "./queries.ts";
import type { TemplateFormat } from "./template-parts.ts";
import {
	bodyOf,
	type DraftProblems,
	draftOf,
	draftOfBody,
	fieldOf,
	type MessageDraft,
	NAME,
	NEW_VERSION,
	parseObject,
	type VersionDraft,
} from "./version-draft.ts";

const TEXTS = promptTexts.form;
type Body = Record<string, unknown>;

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
const ROLES = (Object.keys(promptTexts.roles) as MessageDraft["role"][]).map((value) => ({
	value,
	label: promptTexts.roles[value],
}));
const FORMATS = (["MUSTACHE", "F_STRING", "NONE"] as const).map((value) => ({
	value,
	label: promptTexts.formats[value],
}));

async function createVersion(prompt: string, version: PromptVersionBody, tags: readonly string[]) {
	const path = { prompt_identifier: prompt };
	const body = { version, ...(tags.length > 0 ? { tags: tags.map((name) => ({ name })) } : {}) };
	return (await api.post("/v1/prompts/{prompt_identifier}/versions", { path, body })).data;
}

/** What the API takes; the form's own checks and the server's say when it is not that. */
type PromptVersionBody = Parameters<typeof api.post<"/v1/prompts/{prompt_identifier}/versions">>[1]["body"]["version"];

/** The API would add a version to the prompt of that name. */
async function isNameTaken(name: string): Promise<boolean> {
	const { data } = await api.get("/v1/prompts", { query: { name_contains: name, limit: 1000 } });
	return data.some((prompt) => prompt.name === name);
}

/** Makes a prompt with its first version. */
export function PromptForm({ onLeave }: { onLeave: () => void }): ReactNode {
	const queries = useQueryClient();
	const navigate = useNavigate();
	const [name, setName] = useState("");
	const [description, setDescription] = useState("");
	const [problem, setProblem] = useState<string | undefined>();
	const create = useMutation({
		mutationFn: async (version: Body) => {
			if (await isNameTaken(name)) return false;
			const prompt = { name, ...(description.trim() ? { description: description.trim() } : {}) };
			await api.post("/v1/prompts", { body: { prompt, version: version as PromptVersionBody } });
			return true;
		},
		onSuccess: async (isMade) => {
			if (!isMade) {
				setProblem(TEXTS.nameTaken);
				return;
			}
			await refreshPrompts(queries);
			await navigate({ to: "/prompts/$prompt", params: { prompt: name } });
		},
	});
	return (
		<VersionEditor
			title={TEXTS.newPrompt}
			action={TEXTS.create}
			start={NEW_VERSION}
			isPending={create.isPending}
			error={create.error}
			onLeave={onLeave}
			onSubmit={(version) => {
				const bad = NAME.test(name) ? undefined : TEXTS.nameBad;
				setProblem(bad);
				if (bad === undefined && version !== undefined) create.mutate(version);
			}}
		>
			{(problems) => (
				<div className="grid gap-3 sm:grid-cols-2">
					<Field label={TEXTS.name} hint={TEXTS.nameHint} error={problem ?? problems["name"]}>
						<Input
							value={name}
							maxLength={1000}
							aria-invalid={problem !== undefined}
							onChange={(event) => {
								setName(event.target.value);
								setProblem(undefined);
							}}
						/>
					</Field>
					<Field label={TEXTS.promptDescription}>
						<Input value={description} maxLength={10_000} onChange={(event) => setDescription(event.target.value)} />
					</Field>
				</div>
			)}
		</VersionEditor>
	);
}

/** Makes a version that begins as another one. */
export function VersionForm({
	prompt,
	from,
	onLeave,
}: {
	prompt: string;
	from: NumberedVersion | undefined;
	onLeave: (made: string | undefined) => void;
}): ReactNode {
	const queries = useQueryClient();
	const [tags, setTags] = useState("");
	const create = useMutation({
		mutationFn: (version: Body) => {
			const names = tags.split(",").map((tag) => tag.trim());
			return createVersion(
				prompt,
				version as PromptVersionBody,
				names.filter((tag) => tag !== ""),
			);
		},
		onSuccess: async ({ id }) => {
			await refreshPrompts(queries);
			onLeave(id);
		},
	});
	return (
		<VersionEditor
			title={TEXTS.newVersion(prompt)}
			action={TEXTS.save}
			start={from ? draftOf(from) : NEW_VERSION}
			isPending={create.isPending}
			error={create.error}
			onLeave={() => onLeave(undefined)}
			onSubmit={(version) => {
				if (version !== undefined) create.mutate(version);
			}}
		>
			{() => (
				<Field label={TEXTS.tagNewest} hint={TEXTS.tagNewestHint}>
					<Input value={tags} maxLength={10_000} onChange={(event) => setTags(event.target.value)} />
				</Field>
			)}
		</VersionEditor>
	);
}

interface VersionEditorProps {
	readonly title: string;
	readonly action: string;
	readonly start: VersionDraft;
	readonly isPending: boolean;
	readonly error: Error | null;
	/** Undefined when there is something wrong with it. */
	readonly onSubmit: (version: Body | undefined) => void;
	readonly onLeave: () => void;
	/** Fields of what the version belongs to. */
	readonly children: (problems: DraftProblems) => ReactNode;
}

function VersionEditor({
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
				<Fields draft={draft} problems={problems} change={change} />
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

/** The server's answer, sorted to the fields. */
function serverProblems(error: Error | null): {
	readonly at: DraftProblems;
	/** Issues about no field of the form. */
	readonly rest: readonly string[];
	/** Every issue with its place. */
	readonly all: readonly string[];
	/** An answer that is about no part of the version. */
	readonly error: Error | null;
} {
	if (!(error instanceof ApiError) || error.issues.length === 0) return { at: {}, rest: [], all: [], error };
	const at: Record<string, string> = {};
	const rest: string[] = [];
	for (const { loc, msg } of error.issues) {
		const field = fieldOf(loc);
		if (field === undefined) rest.push(msg);
		else at[field] ??= msg;
	}
	const all = error.issues.map(({ loc, msg }) => `${loc.filter((part) => part !== "body").join(".")}: ${msg}`);
	return { at, rest, all, error: null };
}

interface FieldsProps {
	readonly draft: VersionDraft;
	readonly problems: DraftProblems;
	readonly change: (part: Partial<VersionDraft>) => void;
}

function Fields({ draft, problems, change }: FieldsProps): ReactNode {
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
			<Messages draft={draft} problems={problems} change={change} />
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

function Messages({ draft, problems, change }: FieldsProps): ReactNode {
	const { messages } = draft;
	const edit = (index: number, part: Partial<MessageDraft>) =>
		change({ messages: messages.map((message, at) => (at === index ? { ...message, ...part } : message)) });
	const move = (index: number, to: number) => {
		const moved = messages.toSpliced(index, 1);
		const message = messages[index];
		if (message) change({ messages: moved.toSpliced(to, 0, message) });
	};
	return (
		<fieldset className="flex flex-col gap-3">
			<legend className="mb-1 flex w-full flex-wrap items-center gap-x-3 gap-y-1 font-semibold">
				{TEXTS.messagesTitle}
				<Select<TemplateFormat>
					label={TEXTS.format}
					value={draft.format}
					onChange={(format) => change({ format })}
					choices={FORMATS}
					className="font-normal"
				/>
				<span className="font-normal text-muted text-sm">{promptTexts.formatHint[draft.format]}</span>
			</legend>
			{messages.map((message, index) => (
				<div key={index} className="rounded-md border border-line">
					<div className="flex h-9 items-center gap-1 border-line border-b bg-sunken pr-1 pl-2">
						<Select
							label={TEXTS.role(index + 1)}
							value={message.role}
							onChange={(role) => edit(index, { role })}
							choices={ROLES}
						/>
						<span className="ml-auto" />
						<IconButton label={TEXTS.moveUp(index + 1)} disabled={index === 0} onClick={() => move(index, index - 1)}>
							<ArrowUp size={14} aria-hidden />
						</IconButton>
						<IconButton
							label={TEXTS.moveDown(index + 1)}
							disabled={index === messages.length - 1}
							onClick={() => move(index, index + 1)}
						>
							<ArrowDown size={14} aria-hidden />
						</IconButton>
						<IconButton
							label={TEXTS.removeMessage(index + 1)}
							disabled={messages.length === 1}
							onClick={() => change({ messages: messages.toSpliced(index, 1) })}
						>
							<Trash size={14} aria-hidden />
						</IconButton>
					</div>
					<textarea
						aria-label={message.isParts ? TEXTS.contentJson(index + 1) : TEXTS.text(index + 1)}
						aria-invalid={problems[`messages.${index}`] !== undefined}
						value={message.text}
						rows={2}
						onChange={(event) => edit(index, { text: event.target.value })}
						className={`field-sizing-content block max-h-[50vh] min-h-16 w-full resize-y bg-surface px-3 py-2 ${message.isParts ? "font-mono text-sm" : ""}`}
					/>
					<span className="block px-3 empty:hidden">
						<FieldProblem text={problems[`messages.${index}`]} />
					</span>
				</div>
			))}
			<Button
				look="quiet"
				className="self-start text-muted"
				onClick={() => change({ messages: [...messages, { role: "user", text: "", isParts: false }] })}
			>
				<Plus size={14} aria-hidden />
				{TEXTS.addMessage}
			</Button>
		</fieldset>
	);
}

function JsonField({
	label,
	hint,
	value,
	onChange,
	problem,
	className = "min-h-16",
}: {
	label: string;
	hint?: string;
	value: string;
	onChange: (value: string) => void;
	problem: string | undefined;
	className?: string;
}): ReactNode {
	return (
		<Field label={label} hint={hint} error={problem}>
			<textarea
				value={value}
				rows={2}
				spellCheck={false}
				autoComplete="off"
				aria-invalid={problem !== undefined}
				onChange={(event) => onChange(event.target.value)}
				className={`field-sizing-content max-h-[60vh] resize-y rounded border border-line-strong bg-surface p-2 font-mono text-sm aria-[invalid=true]:border-danger ${className}`}
			/>
		</Field>
	);
}
