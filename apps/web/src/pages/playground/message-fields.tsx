import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import ImagePlus from "lucide-react/icons/image-plus";
import Plus from "lucide-react/icons/plus";
import Trash from "lucide-react/icons/trash-2";
import X from "lucide-react/icons/x";
import {
	type ClipboardEvent,
	type DragEvent,
	type KeyboardEvent,
	type ReactNode,
	useId,
	useRef,
	useState,
} from "react";
import { playgroundTexts as texts } from "../../texts/playground-en.ts";
import { promptTexts } from "../../texts/prompts-en.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { FieldProblem } from "../../ui/field-problem.tsx";
import { HighlightedArea } from "../../ui/highlighting/highlighted-area.tsx";
import { Select } from "../../ui/select.tsx";
import { type MessageDraft, newMessage, type TemplateFormat } from "./playground-draft.ts";
import { readImages } from "./read-images.ts";

const FORM = promptTexts.form;
const ROLES = (Object.keys(promptTexts.roles) as MessageDraft["role"][]).map((value) => ({
	value,
	label: promptTexts.roles[value],
}));

interface MessageFieldsProps {
	readonly messages: readonly MessageDraft[];
	/** Of their variables. */
	readonly format: TemplateFormat;
	readonly onChange: (messages: readonly MessageDraft[]) => void;
	readonly problem: string | undefined;
}

/** The messages of a column: their order, roles, texts, images, calls of tools and results. */
export function MessageFields({ messages, format, onChange, problem }: MessageFieldsProps): ReactNode {
	const list = useRef<HTMLDivElement>(null);
	const edit = (index: number, part: Partial<MessageDraft>) =>
		onChange(messages.map((message, at) => (at === index ? { ...message, ...part } : message)));
	const move = (index: number, to: number) => {
		const message = messages[index];
		if (message === undefined || to < 0 || to >= messages.length) return;
		onChange(messages.toSpliced(index, 1).toSpliced(to, 0, message));
		// What was written in keeps the focus at its new place.
		requestAnimationFrame(() => list.current?.querySelectorAll("textarea")[to]?.focus());
	};
	const onKeyDown = (event: KeyboardEvent, index: number) => {
		if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
		event.preventDefault();
		move(index, event.key === "ArrowUp" ? index - 1 : index + 1);
	};
	return (
		<div ref={list} className="flex flex-col gap-2">
			{messages.map((message, index) => (
				<OneMessage
					key={message.key}
					message={message}
					format={format}
					number={index + 1}
					isFirst={index === 0}
					isLast={index === messages.length - 1}
					edit={(part) => edit(index, part)}
					move={(by) => move(index, index + by)}
					remove={() => onChange(messages.toSpliced(index, 1))}
					onKeyDown={(event) => onKeyDown(event, index)}
				/>
			))}
			<FieldProblem text={problem} />
			<Button
				look="quiet"
				className="self-start text-muted"
				onClick={() => onChange([...messages, newMessage("user")])}
			>
				<Plus size={14} aria-hidden />
				{FORM.addMessage}
			</Button>
		</div>
	);
}

interface OneMessageProps {
	readonly message: MessageDraft;
	readonly format: TemplateFormat;
	readonly number: number;
	readonly isFirst: boolean;
	readonly isLast: boolean;
	readonly edit: (part: Partial<MessageDraft>) => void;
	readonly move: (by: number) => void;
	readonly remove: () => void;
	readonly onKeyDown: (event: KeyboardEvent) => void;
}

function OneMessage({
	message,
	format,
	number,
	isFirst,
	isLast,
	edit,
	move,
	remove,
	onKeyDown,
}: OneMessageProps): ReactNode {
	const [problem, setProblem] = useState<string>();
	const file = useRef<HTMLInputElement>(null);
	const fileId = useId();
	const takeImages = async (files: readonly File[]) => {
		const { images, problem: found } = await readImages(files);
		setProblem(found);
		if (images.length > 0) edit({ images: [...message.images, ...images] });
	};
	const onFiles = (event: ClipboardEvent | DragEvent, data: DataTransfer | null) => {
		const files = [...(data?.files ?? [])];
		if (files.length === 0) return;
		event.preventDefault();
		void takeImages(files);
	};
	const isResult = message.answers !== undefined;
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: dropping an image is what the button beside it does, too
		<div
			className="rounded-md border border-line"
			onDragOver={(event) => event.preventDefault()}
			onDrop={(event) => onFiles(event, event.dataTransfer)}
		>
			<div className="flex h-9 items-center gap-1 border-line border-b bg-sunken pr-1 pl-2 pointer-coarse:h-12">
				{isResult ? (
					<span className="min-w-0 truncate text-muted text-sm">{texts.answers(message.answers ?? "")}</span>
				) : (
					<Select label={FORM.role(number)} value={message.role} onChange={(role) => edit({ role })} choices={ROLES} />
				)}
				<span className="ml-auto" />
				{!isResult && (
					<>
						<input
							ref={file}
							id={fileId}
							type="file"
							hidden
							multiple
							accept="image/png,image/jpeg,image/webp,image/gif"
							onChange={(event) => {
								void takeImages([...(event.target.files ?? [])]);
								event.target.value = "";
							}}
						/>
						<IconButton label={texts.addImage} onClick={() => file.current?.click()}>
							<ImagePlus size={14} aria-hidden />
						</IconButton>
					</>
				)}
				<IconButton label={FORM.moveUp(number)} disabled={isFirst} onClick={() => move(-1)}>
					<ArrowUp size={14} aria-hidden />
				</IconButton>
				<IconButton label={FORM.moveDown(number)} disabled={isLast} onClick={() => move(1)}>
					<ArrowDown size={14} aria-hidden />
				</IconButton>
				<IconButton label={FORM.removeMessage(number)} disabled={isFirst && isLast} onClick={remove}>
					<Trash size={14} aria-hidden />
				</IconButton>
			</div>
			<HighlightedArea
				aria-label={FORM.text(number)}
				value={message.text}
				language={isResult ? "code" : format}
				onKeyDown={onKeyDown}
				onPaste={(event) => onFiles(event, event.clipboardData)}
				onChange={(event) => edit({ text: event.target.value })}
				className="max-h-[50vh] min-h-14"
			/>
			<Images images={message.images} onChange={(images) => edit({ images })} />
			{message.reasoning !== undefined && message.reasoning.length > 0 && (
				<div className="flex items-center gap-1 border-line border-t py-1 pr-1 pl-3">
					<span className="min-w-0 truncate text-muted text-sm">{texts.reasoningSentBack}</span>
					<span className="ml-auto" />
					<IconButton label={texts.removeReasoning} onClick={() => edit({ reasoning: [] })}>
						<X size={14} aria-hidden />
					</IconButton>
				</div>
			)}
			{message.toolCalls.map((call, at) => (
				<div key={call.tool_call_id} className="border-line border-t px-3 py-2">
					<div className="flex items-center gap-1">
						<span className="min-w-0 truncate font-mono text-sm">{texts.toolCall(call.tool_call.name)}</span>
						<span className="ml-auto" />
						<IconButton
							label={texts.removeToolCall(call.tool_call.name)}
							onClick={() => edit({ toolCalls: message.toolCalls.toSpliced(at, 1) })}
						>
							<X size={14} aria-hidden />
						</IconButton>
					</div>
					<textarea
						aria-label={texts.argumentsOf(call.tool_call.name)}
						value={call.tool_call.arguments}
						rows={1}
						spellCheck={false}
						onChange={(event) => {
							const changed = { ...call, tool_call: { ...call.tool_call, arguments: event.target.value } };
							edit({ toolCalls: message.toolCalls.toSpliced(at, 1, changed) });
						}}
						className="field-sizing-content block max-h-60 w-full resize-y bg-surface font-mono text-sm"
					/>
				</div>
			))}
			<span className="block px-3 empty:hidden">
				<FieldProblem text={problem} />
			</span>
		</div>
	);
}

function Images({
	images,
	onChange,
}: {
	images: MessageDraft["images"];
	onChange: (images: MessageDraft["images"]) => void;
}): ReactNode {
	if (images.length === 0) return null;
	return (
		<ul aria-label={texts.images} className="flex flex-wrap gap-2 border-line border-t p-2">
			{images.map((image, at) => (
				<li key={`${at} ${image.data.length}`} className="relative">
					<img
						src={`data:${image.media_type};base64,${image.data}`}
						alt=""
						className="size-20 rounded border border-line object-cover"
					/>
					<IconButton
						label={texts.removeImage(at + 1)}
						className="absolute top-0 right-0 bg-surface"
						onClick={() => onChange(images.toSpliced(at, 1))}
					>
						<X size={14} aria-hidden />
					</IconButton>
				</li>
			))}
		</ul>
	);
}
