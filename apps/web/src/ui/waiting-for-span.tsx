import { type ReactNode, Suspense } from "react";
import { config } from "../lib/config.ts";
import { useCan } from "../lib/me.ts";
import { texts } from "../texts/en.ts";
import { sendingTexts } from "../texts/sending-en.ts";
import { lazyPart } from "./lazy-part.tsx";
import { SendSnippets } from "./send-snippets.tsx";

const KeyedSnippets = lazyPart(() => import("./keyed-snippets.tsx"), "KeyedSnippets");

/** Says that the page listens, and what to paste into an application to send the first span. */
export function WaitingForSpan({ title, project }: { title: string; project: string }): ReactNode {
	const can = useCan();
	return (
		<section aria-label={title} className="mx-auto flex w-full max-w-2xl flex-col gap-3 px-4 py-10">
			<h2 role="status" className="flex items-center gap-2.5 font-semibold text-lg">
				<span aria-hidden className="relative flex size-2.5">
					<span className="absolute inline-flex size-full rounded-full bg-accent opacity-60 motion-safe:animate-ping" />
					<span className="relative inline-flex size-2.5 rounded-full bg-accent" />
				</span>
				{title}
			</h2>
			{can("write") ? (
				<>
					<p className="text-muted">{texts.waiting.text}</p>
					{config.auth.enabled ? (
						<Suspense>
							<KeyedSnippets project={project} />
						</Suspense>
					) : (
						<SendSnippets project={project} />
					)}
				</>
			) : (
				<>
					<p>{sendingTexts.viewer}</p>
					<p className="text-muted">{sendingTexts.viewerText}</p>
				</>
			)}
		</section>
	);
}
