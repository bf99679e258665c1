import { Link, Outlet, useChildMatches } from "@tanstack/react-router";
import ExternalLink from "lucide-react/icons/external-link";
import { type ReactNode, useEffect, useRef } from "react";
import { config } from "../../lib/config.ts";
import { useMe } from "../../lib/me.ts";
import {
	isOpen,
	listedSections,
	SETTINGS_GROUPS,
	SETTINGS_SECTIONS,
	type SettingsSection,
} from "../../lib/settings-sections.ts";
import { TopBar } from "../../shell/top-bar.tsx";
import { texts } from "../../texts/en.ts";
import { AuthOff, Forbidden } from "./forbidden.tsx";

const TEXTS = texts.settings;
const ITEM =
	"flex h-8 shrink-0 items-center gap-2 whitespace-nowrap rounded px-2.5 text-muted hover:bg-hover hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent";

/** The common frame of all settings: the list of sections, and a message for those who may not open one. */
export function SettingsLayout(): ReactNode {
	const me = useMe();
	// The path of the shown page: the address may already be that of the next one, which is still loading.
	const path = useChildMatches({ select: (matches) => matches[0]?.fullPath });
	const section = SETTINGS_SECTIONS.find((each) => each.to === path);
	return (
		<>
			<TopBar />
			<div className="flex min-h-0 flex-1 max-md:flex-col">
				<SectionList current={section} />
				<main id="content" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
					{section === undefined || isOpen(section, me) ? <Outlet /> : <Closed section={section} />}
				</main>
			</div>
		</>
	);
}

function Closed({ section }: { section: SettingsSection }): ReactNode {
	return config.auth.enabled ? <Forbidden section={section.label} /> : <AuthOff />;
}

function SectionList({ current }: { current: SettingsSection | undefined }): ReactNode {
	const me = useMe();
	const list = useRef<HTMLElement>(null);
	const sections = listedSections(me);
	// On a phone the list is one line that scrolls.
	useEffect(() => {
		if (current) list.current?.querySelector('[data-status="active"]')?.scrollIntoView({ inline: "center" });
	}, [current]);
	return (
		<nav
			ref={list}
			aria-label={TEXTS.sections}
			className="relative flex shrink-0 gap-0.5 overflow-auto border-line p-2 max-md:border-b md:w-56 md:flex-col md:border-r md:p-3"
		>
			{SETTINGS_GROUPS.map((group) => {
				const own = sections.filter((section) => section.group === group);
				return own.length === 0 ? null : (
					<div key={group} className="flex gap-0.5 md:mb-3 md:flex-col">
						<p className="px-2.5 pb-1 text-muted text-sm max-md:sr-only">{TEXTS[group]}</p>
						{own.map((section) => (
							<Link key={section.to} to={section.to} className={ITEM} activeOptions={{ includeSearch: false }}>
								{section.label}
							</Link>
						))}
					</div>
				);
			})}
			{me?.managementUrl && (
				<a href={me.managementUrl} target="_blank" rel="noopener" className={ITEM}>
					{TEXTS.management}
					<ExternalLink size={13} aria-label={TEXTS.newTab} />
				</a>
			)}
		</nav>
	);
}
