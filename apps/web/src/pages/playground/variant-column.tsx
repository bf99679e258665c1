import Copy from "lucide-react/icons/copy";
import Ellipsis from "lucide-react/icons/ellipsis";
import type { ReactNode } from "react";
import { ModelField } from "../../models/model-field.tsx";
import { playgroundTexts as texts } from "../../texts/playground-en.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { IconButton } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { JsonField } from "../../ui/json-field.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Select } from "../../ui/select.tsx";
import { Answers } from "./answers.tsx";
import { MessageFields } from "./message-fields.tsx";
import type { TemplateFormat, VariantDraft } from "./playground-draft.ts";
import type { CallState, RunState } from "./run-stream.ts";
import { toolsOfMcp } from "./tools-of-mcp.ts";

const FORMATS = (["MUSTACHE", "F_STRING", "NONE"] as const).map((value) => ({
	value,
	label: promptTexts.formats[value],
}));

interface VariantColumnProps {
	readonly variant: VariantDraft;
	/** From 1. */
	readonly position: number;
	readonly count: number;
	readonly run: RunState;
	readonly problems: Readonly<Record<string, string>>;
	readonly onChange: (part: Partial<VariantDraft>) => void;
	readonly onDuplicate: (() => void) | undefined;
	readonly onMove: (by: number) => void;
	readonly onRemove: () => void;
	readonly onSave: () => void;
	readonly onAgain: () => void;
	readonly onContinue: (call: CallState) => void;
}

/** A column: what is sent, and below it what was answered. */
export function VariantColumn(props: VariantColumnProps): ReactNode {
	const { variant, position, run, problems, onChange, onContinue, onAgain } = props;
	const label = variant.label || texts.variant(position);
	const calls = run.calls.filter((call) => call.variant === variant.key);
	return (
		<section aria-label={label} className="flex min-w-0 flex-col rounded-lg border border-line bg-canvas">
			<ColumnHead {...props} />
			<div className="flex flex-col gap-3 p-3">
				{variant.notCaptured.length > 0 && <NotCaptured sentences={variant.notCaptured} />}
				<ModelField variant={variant} problems={problems} onChange={onChange} />
				<Field label={promptTexts.form.format}>
					<Select<TemplateFormat>
						value={variant.format}
						onChange={(format) => onChange({ format })}
						choices={FORMATS}
						className="self-start"
					/>
				</Field>
				<MessageFields
					messages={variant.messages}
					format={variant.format}
					onChange={(messages) => onChange({ messages })}
					problem={problems["messages"]}
				/>
				<details open={problems["parameters"] !== undefined || problems["tools"] !== undefined}>
					<summary className="cursor-default text-muted text-sm">
						{texts.parameters} · {texts.tools} · {texts.responseFormat}
					</summary>
					<div className="flex flex-col gap-3 pt-2">
						<JsonField
							label={texts.parameters}
							hint={texts.parametersHint}
							value={variant.parameters}
							onChange={(parameters) => onChange({ parameters })}
							problem={problems["parameters"]}
						/>
						<JsonField
							label={texts.tools}
							hint={texts.toolsHint}
							value={variant.tools}
							onChange={(tools) => onChange({ tools: toolsOfMcp(tools) ?? tools })}
							problem={problems["tools"]}
						/>
						<JsonField
							label={texts.responseFormat}
							hint={texts.responseFormatHint}
							value={variant.responseFormat}
							onChange={(responseFormat) => onChange({ responseFormat })}
							problem={problems["responseFormat"]}
						/>
					</div>
				</details>
			</div>
			<div className="border-line border-t">
				<Answers
					label={label}
					calls={calls}
					project={run.project}
					isRunning={run.isRunning}
					onAgain={onAgain}
					onContinue={onContinue}
					onWithout={(parameter) => onChange({ parameters: without(variant.parameters, parameter) })}
				/>
			</div>
		</section>
	);
}

function ColumnHead({
	variant,
	position,
	count,
	onChange,
	onDuplicate,
	onMove,
	onRemove,
	onSave,
}: VariantColumnProps): ReactNode {
	return (
		<div className="flex items-center gap-1 border-line border-b bg-sunken px-2 py-1">
			<Input
				aria-label={texts.label}
				value={variant.label}
				placeholder={texts.variant(position)}
				maxLength={200}
				className="min-w-0 flex-1"
				onChange={(event) => onChange({ label: event.target.value })}
			/>
			<IconButton label={texts.duplicate} shortcut="mod+D" disabled={!onDuplicate} onClick={() => onDuplicate?.()}>
				<Copy size={14} aria-hidden />
			</IconButton>
			<Menu
				align="end"
				trigger={
					<IconButton label={texts.columnMenu(position)}>
						<Ellipsis size={14} aria-hidden />
					</IconButton>
				}
			>
				<MenuItem onClick={onSave}>{texts.save}</MenuItem>
				<MenuItem disabled={position === 1} onClick={() => onMove(-1)}>
					{texts.moveLeft}
				</MenuItem>
				<MenuItem disabled={position === count} onClick={() => onMove(1)}>
					{texts.moveRight}
				</MenuItem>
				<MenuItem danger disabled={count === 1} onClick={onRemove}>
					{texts.remove}
				</MenuItem>
			</Menu>
		</div>
	);
}

function NotCaptured({ sentences }: { sentences: readonly string[] }): ReactNode {
	return (
		<details className="rounded bg-warn-soft px-2 py-1 text-sm text-warn">
			<summary className="cursor-default">
				{texts.notCaptured} ({sentences.length})
			</summary>
			<p>{texts.notCapturedHint}</p>
			<ul className="list-disc pl-5">
				{sentences.map((sentence) => (
					<li key={sentence} className="[overflow-wrap:anywhere]">
						{sentence}
					</li>
				))}
			</ul>
		</details>
	);
}

/** Parameters without one of them; unchanged where they are no JSON. */
function without(parameters: string, name: string): string {
	try {
		const { [name]: _left, ...rest } = JSON.parse(parameters) as Record<string, unknown>;
		return Object.keys(rest).length === 0 ? "" : JSON.stringify(rest, null, 2);
	} catch (error) {
		if (error instanceof SyntaxError) return parameters;
		throw error;
	}
}
