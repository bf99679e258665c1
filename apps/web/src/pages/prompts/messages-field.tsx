import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";
import type { ReactNode } from "react";
import type { TemplateFormat } from "../../lib/template-parts.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FieldProblem } from "../../ui/field-problem.tsx";
import { HighlightedArea } from "../../ui/highlighting/highlighted-area.tsx";
import { Select } from "../../ui/select.tsx";
import type { DraftFieldProps, MessageDraft } from "./version-draft.ts";

const TEXTS = promptTexts.form;

const ROLES = (Object.keys(promptTexts.roles) as MessageDraft["role"][]).map((value) => ({
	value,
	label: promptTexts.roles[value],
}));
const FORMATS = (["MUSTACHE", "F_STRING", "NONE"] as const).map((value) => ({
	value,
	label: promptTexts.formats[value],
}));

/** The messages of a version: their order, roles and texts. */
export function MessagesField({ draft, problems, change }: DraftFieldProps): ReactNode {
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
				{/* biome-ignore lint/a11y/noLabelWithoutControl: the control is in it */}
				<label className="flex items-center gap-1.5 font-normal">
					<span className="text-muted text-sm">{TEXTS.format}</span>
					<Select<TemplateFormat> value={draft.format} onChange={(format) => change({ format })} choices={FORMATS} />
				</label>
				<span className="font-normal text-muted text-sm">{promptTexts.formatHint[draft.format]}</span>
			</legend>
			{messages.map((message, index) => (
				<div key={index} className="rounded-md border border-line">
					<div className="flex h-9 items-center gap-1 border-line border-b bg-sunken pr-1 pl-2 pointer-coarse:h-12">
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
					<HighlightedArea
						aria-label={message.isParts ? TEXTS.contentJson(index + 1) : TEXTS.text(index + 1)}
						aria-invalid={problems[`messages.${index}`] !== undefined}
						value={message.text}
						language={message.isParts ? "code" : draft.format}
						onChange={(event) => edit(index, { text: event.target.value })}
						className="max-h-[50vh] min-h-16"
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
