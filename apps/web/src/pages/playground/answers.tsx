import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { formatCost, formatDuration, formatInteger, UNKNOWN } from "../../lib/format.ts";
import { playgroundTexts as texts } from "../../texts/playground-en.ts";
import { Button } from "../../ui/button.tsx";
import { TextContent } from "../../ui/content/text-content.tsx";
import type { CallState } from "./run-stream.ts";

interface AnswersProps {
	readonly label: string;
	readonly calls: readonly CallState[];
	readonly project: string | undefined;
	readonly isRunning: boolean;
	readonly onContinue: (call: CallState) => void;
	readonly onWithout: (parameter: string) => void;
	readonly onAgain: () => void;
}

/** What a column was answered, as it comes. */
export function Answers({ label, calls, ...rest }: AnswersProps): ReactNode {
	if (calls.length === 0) return <p className="px-3 py-4 text-muted">{texts.noOutput}</p>;
	return (
		<section aria-label={texts.output} className="flex min-w-0 flex-col gap-4 p-3">
			<Announcement label={label} calls={calls} />
			{calls.map((call) => (
				<Answer key={call.repetition} call={call} isNumbered={calls.length > 1} {...rest} />
			))}
		</section>
	);
}

/** Tells screen readers of each answer once, when it is complete. */
function Announcement({ label, calls }: Pick<AnswersProps, "label" | "calls">): ReactNode {
	const [text, setText] = useState("");
	const told = useRef(new Set<string>());
	useEffect(() => {
		for (const { repetition, end, error } of calls) {
			if (end === undefined && error === undefined) continue;
			const id = `${end?.trace_id ?? error?.trace_id} ${repetition}`;
			if (told.current.has(id)) continue;
			told.current.add(id);
			setText(
				end === undefined ? `${texts.failed(label)} ${error?.message}` : `${texts.finished(label)} ${end.output.text}`,
			);
		}
	}, [calls, label]);
	return (
		<p aria-live="polite" className="sr-only">
			{text}
		</p>
	);
}

interface AnswerProps extends Pick<AnswersProps, "project" | "isRunning" | "onContinue" | "onWithout" | "onAgain"> {
	readonly call: CallState;
	readonly isNumbered: boolean;
}

function Answer({ call, isNumbered, project, isRunning, onContinue, onWithout, onAgain }: AnswerProps): ReactNode {
	const { repetition, text, reasoning, toolCalls, end, error, stopped } = call;
	const isDone = end !== undefined || error !== undefined || stopped !== undefined;
	return (
		<article className="flex min-w-0 flex-col gap-2">
			{isNumbered && <h3 className="font-semibold text-sm">{texts.repetition(repetition)}</h3>}
			{reasoning !== "" && (
				<details className="rounded bg-sunken px-2 py-1">
					<summary className="cursor-default text-muted text-sm">{texts.reasoning}</summary>
					<TextContent text={reasoning} plain />
				</details>
			)}
			{(error !== undefined || stopped !== undefined) && text !== "" && (
				<p className="text-muted text-sm">{texts.partial}</p>
			)}
			{/* While it streams the text is only appended to, so that what is read stays in its place. */}
			{text !== "" &&
				(isDone ? <TextContent text={text} /> : <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>)}
			{toolCalls.map(({ id, name, arguments: given }) => (
				<div key={id} className="rounded bg-sunken px-2 py-1">
					<p className="font-mono text-sm">{texts.toolCall(name)}</p>
					<pre className="whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">{given}</pre>
				</div>
			))}
			{end !== undefined && toolCalls.length > 0 && (
				<Button className="self-start" title={texts.continueHint} disabled={isRunning} onClick={() => onContinue(call)}>
					{texts.continue}
				</Button>
			)}
			{!isDone && text === "" && reasoning === "" && toolCalls.length === 0 && (
				<p className="text-muted">{texts.running}</p>
			)}
			{stopped !== undefined && <p className="text-muted">{texts.stopped[stopped]}</p>}
			{error !== undefined && (
				<div role="alert" className="flex flex-col items-start gap-2 rounded bg-danger-soft px-3 py-2 text-danger">
					<p className="[overflow-wrap:anywhere]">
						<code>{error.code}</code> {error.message}
					</p>
					<span className="flex flex-wrap gap-2">
						<Button disabled={isRunning} onClick={onAgain}>
							{texts.again}
						</Button>
						{error.parameter !== undefined && (
							<Button disabled={isRunning} onClick={() => onWithout(error.parameter ?? "")}>
								{texts.without(error.parameter)}
							</Button>
						)}
					</span>
				</div>
			)}
			{end?.output.schema_errors !== undefined && <SchemaCheck errors={end.output.schema_errors} />}
			{end?.warnings.map((warning) => (
				<p key={warning} className="rounded bg-warn-soft px-2 py-1 text-sm text-warn">
					{warning}
				</p>
			))}
			<Figures call={call} project={project} />
		</article>
	);
}

function SchemaCheck({ errors }: { errors: readonly { path: (string | number)[]; message: string }[] }): ReactNode {
	if (errors.length === 0) return <p className="text-ok text-sm">{texts.fitsSchema}</p>;
	return (
		<div className="text-danger text-sm">
			<p>{texts.schemaErrors}</p>
			<ul className="list-disc pl-5">
				{errors.map(({ path, message }) => (
					<li key={`${path.join(".")} ${message}`} className="[overflow-wrap:anywhere]">
						<code>{path.length === 0 ? "$" : path.join(".")}</code> {message}
					</li>
				))}
			</ul>
		</div>
	);
}

function Figures({ call: { end, error }, project }: { call: CallState; project: string | undefined }): ReactNode {
	const measured = end ?? error;
	if (measured === undefined) return null;
	const usage = end?.usage ?? error?.partial?.usage;
	const facts = [
		...(end?.first_token_ms == null ? [] : [`${formatDuration(end.first_token_ms)} ${texts.firstToken}`]),
		`${formatDuration(measured.latency_ms)} ${texts.total}`,
		...(usage == null ? [] : [texts.tokens(formatInteger(usage.input), formatInteger(usage.output))]),
		measured.cost_usd === null ? UNKNOWN : formatCost(measured.cost_usd),
		...(end === undefined || end.output.finish_reason === "stop" ? [] : [texts.finish(end.output.finish_reason)]),
	];
	return (
		<p className="flex flex-wrap gap-x-3 text-muted text-sm">
			{facts.map((fact) => (
				<span key={fact}>{fact}</span>
			))}
			{measured.trace_id !== null && project !== undefined && (
				<Link
					to="/p/$project/traces/$trace"
					params={{ project, trace: measured.trace_id }}
					className="text-accent hover:underline"
				>
					{texts.trace}
				</Link>
			)}
		</p>
	);
}
