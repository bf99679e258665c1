import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMe } from "../../lib/me.ts";
import { promptTexts as TEXTS } from "../../texts/prompts-en.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import type { NumberedVersion } from "./numbered.ts";
import type { PromptSearch } from "./search.ts";
import { TagChip } from "./tags.tsx";

/** The versions by their numbers, the newest first. */
export function VersionList({
	prompt,
	versions,
	shown,
	search,
}: {
	prompt: string;
	versions: readonly NumberedVersion[];
	shown: string | undefined;
	search: PromptSearch;
}): ReactNode {
	const me = useMe();
	return (
		<nav
			aria-label={TEXTS.versions}
			className="shrink-0 border-line max-md:max-h-44 max-md:overflow-auto max-md:border-b md:w-60 md:border-r"
		>
			<ol className="flex flex-col p-2">
				{versions.map(({ id, number, tags, created_at: time, description, user_id: user }) => (
					<li key={id}>
						<Link
							to="/prompts/$prompt"
							params={{ prompt }}
							search={{ ...(search.tab ? { tab: search.tab } : {}), version: id }}
							replace
							{...(id === shown ? { "aria-current": "true" as const } : {})}
							className="flex flex-col gap-0.5 rounded px-2.5 py-1.5 hover:bg-hover aria-[current]:bg-accent-soft"
						>
							<span className="flex items-center gap-2">
								<span className="font-medium">{TEXTS.version(number)}</span>
								<span className="ml-auto text-muted text-sm">
									<RelativeTime time={time} />
								</span>
							</span>
							{description && <span className="truncate text-muted text-sm">{description}</span>}
							{user !== null && user === me?.id && (
								<span className="text-muted text-sm">{TEXTS.versionBy(TEXTS.you)}</span>
							)}
							{tags.length > 0 && (
								<span className="flex flex-wrap gap-1">
									{tags.map((tag) => (
										<TagChip key={tag} name={tag} />
									))}
								</span>
							)}
						</Link>
					</li>
				))}
			</ol>
		</nav>
	);
}
