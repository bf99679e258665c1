import File from "lucide-react/icons/file";
import Music from "lucide-react/icons/music";
import Video from "lucide-react/icons/video";
import { type ReactNode, useMemo, useState } from "react";
import { formatBytes } from "../../lib/format.ts";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { Dialog } from "../dialog.tsx";
import { type ChatMedia, inlineBytes } from "./message.ts";
import { TextContent } from "./text-content.tsx";

const ICONS = { audio: Music, video: Video, file: File };

/**
 * Audio, video or a file: what is known of it, a player or a download if it was sent along, and what is said in it.
 * Nothing is loaded from other servers.
 */
export function Media({ media }: { media: ChatMedia }): ReactNode {
	const { kind, mime, url, name, id, transcript } = media;
	const Icon = ICONS[kind];
	const bytes = useMemo(() => inlineBytes(url), [url]);
	const facts = [mime, bytes === undefined ? undefined : formatBytes(bytes), id].filter(Boolean).join(", ");
	const isInline = url !== undefined && bytes !== undefined;
	return (
		<figure className="flex min-w-0 flex-col gap-1 rounded bg-sunken p-2">
			<figcaption className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm">
				<Icon size={14} aria-hidden className="shrink-0 text-muted" />
				<span className="font-medium [overflow-wrap:anywhere]">{name ?? texts.media[kind]}</span>
				{facts && <span className="text-muted [overflow-wrap:anywhere]">{facts}</span>}
				{isInline && (
					<a href={url} download={name ?? texts.mediaFile(kind, mime)} className="text-accent hover:underline">
						{texts.mediaDownload}
					</a>
				)}
			</figcaption>
			{/* biome-ignore lint/a11y/useMediaCaption: what is said was sent as text, or not at all */}
			{isInline && kind === "audio" && <audio controls preload="metadata" src={url} className="h-9 w-full max-w-md" />}
			{isInline && kind === "video" && (
				// biome-ignore lint/a11y/useMediaCaption: what is said was sent as text, or not at all
				<video controls preload="metadata" src={url} className="max-h-80 max-w-full self-start rounded" />
			)}
			{url !== undefined && !isInline && (
				<p className="break-all text-sm">
					<span className="text-muted">{texts.mediaRemote}</span> <code className="font-mono">{url.slice(0, 500)}</code>
				</p>
			)}
			{url === undefined && <p className="text-muted text-sm italic">{texts.mediaNotSent}</p>}
			{transcript && <TextContent text={transcript} className="border-line border-l-2 pl-3" />}
		</figure>
	);
}

/** An image that a click shows as large as the window allows. */
export function ZoomableImage({ url, label }: { url: string; label: string }): ReactNode {
	const [isOpen, setOpen] = useState(false);
	return (
		<>
			<button
				type="button"
				aria-label={texts.enlarge(label)}
				onClick={() => setOpen(true)}
				className="cursor-zoom-in self-start rounded"
			>
				<img src={url} alt={label} className="max-h-80 max-w-full rounded" />
			</button>
			{isOpen && (
				<Dialog open onOpenChange={setOpen} title={label} className="top-[2vh] max-h-[96vh] w-[min(96vw,100rem)]">
					<div className="min-h-0 overflow-auto p-2">
						<img src={url} alt={label} className="mx-auto" />
					</div>
				</Dialog>
			)}
		</>
	);
}
