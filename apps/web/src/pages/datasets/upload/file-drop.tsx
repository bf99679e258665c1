import FileUp from "lucide-react/icons/file-up";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { dataTexts } from "../../../texts/data-en.ts";
import { Button } from "../../../ui/button.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { type ReadFile, readFile, UnreadableFile } from "./read-file.ts";

const TEXTS = dataTexts.upload;

/** A drop zone for a file, with a button for choosing one. */
export function FileDrop({ onFile }: { onFile: (file: ReadFile) => void }): ReactNode {
	const input = useRef<HTMLInputElement>(null);
	const [isOver, setOver] = useState(false);
	const [isReading, setReading] = useState(false);
	const [problem, setProblem] = useState<string>();
	const take = async (file: File | undefined) => {
		if (!file) return;
		setProblem(undefined);
		setReading(true);
		try {
			onFile(await readFile(file));
		} catch (error) {
			// Reading a file that was moved or deleted meanwhile throws a DOMException.
			if (!(error instanceof UnreadableFile || error instanceof DOMException)) throw error;
			setProblem(error.message);
			setReading(false);
		}
	};
	const onDrop = (event: DragEvent) => {
		event.preventDefault();
		setOver(false);
		void take(event.dataTransfer.files[0]);
	};
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way, the button in it the other
		<div
			onDragOver={(event) => {
				event.preventDefault();
				setOver(true);
			}}
			onDragLeave={() => setOver(false)}
			onDrop={onDrop}
			className={classNames(
				"m-4 flex flex-col items-center gap-2 rounded-md border border-dashed px-4 py-14 text-center",
				isOver ? "border-accent bg-accent-soft" : "border-line-strong",
			)}
		>
			<FileUp size={24} aria-hidden className="text-muted" />
			<p>{TEXTS.drop}</p>
			<p className="text-muted text-sm">{TEXTS.or}</p>
			<Button look="primary" disabled={isReading} onClick={() => input.current?.click()}>
				{isReading ? TEXTS.reading : TEXTS.choose}
			</Button>
			<input
				ref={input}
				type="file"
				hidden
				accept=".csv,.jsonl,.ndjson,.json,text/csv,application/json,application/jsonl"
				aria-label={TEXTS.file}
				onChange={(event) => {
					void take(event.target.files?.[0]);
					event.target.value = "";
				}}
			/>
			{problem !== undefined && (
				<p role="alert" className="text-danger [overflow-wrap:anywhere]">
					{problem}
				</p>
			)}
		</div>
	);
}
