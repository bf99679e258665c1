import { Outlet, useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense, useState, useSyncExternalStore } from "react";
import { leftKey } from "../lib/left-key.ts";
import { useIsPhone } from "../lib/media.ts";
import { useShortcuts } from "../lib/shortcuts.tsx";
import { shownRuns } from "../lib/shown-runs.ts";
import { storageTrouble } from "../lib/storage-trouble.ts";
import { useLocalSetting } from "../lib/use-local-setting.ts";
import { waitingReviews } from "../lib/waiting-reviews.ts";
import { texts } from "../texts/en.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { CommandDialog } from "./command-dialog.tsx";
import { NavRail } from "./nav-rail.tsx";
import { PhoneBar } from "./phone-bar.tsx";
import { SessionWatch } from "./session-watch.tsx";
import { ShellContext } from "./shell-context.ts";

const RunsPanel = lazyPart(() => import("../selecting/runs-panel.tsx"), "RunsPanel");
const ShortcutSheet = lazyPart(() => import("./shortcut-sheet.tsx"), "ShortcutSheet", { isOver: true });

const LeftKeyDialog = lazyPart(() => import("./left-key-dialog.tsx"), "LeftKeyDialog", { isOver: true });
const WaitingReviews = lazyPart(() => import("../reviewing/waiting-reviews.tsx"), "WaitingReviews");
const StorageNotice = lazyPart(() => import("./storage-notice.tsx"), "StorageNotice");

/** The frame of every page: navigation rail, command palette, sheet of shortcuts. */
export function AppShell(): ReactNode {
	const navigate = useNavigate();
	const [runs] = useLocalSetting(shownRuns);
	const troubleSince = useSyncExternalStore(storageTrouble.subscribe, storageTrouble.get);
	const keyLeft = useSyncExternalStore(leftKey.subscribe, leftKey.get);
	const [waiting] = useLocalSetting(waitingReviews);
	const [hasWaited, setHasWaited] = useState(false);
	if (waiting !== undefined && !hasWaited) setHasWaited(true);
	const isPhone = useIsPhone();
	const [command, setCommand] = useState(false);
	const [sheet, setSheet] = useState(false);
	useShortcuts({
		title: texts.shortcuts.everywhere,
		shortcuts: [
			{ keys: ["mod+k"], label: texts.shortcuts.command, inFields: true, run: () => setCommand(true) },
			{ keys: ["?"], label: texts.shortcuts.help, run: () => setSheet(true) },
			{ keys: ["alt+p"], label: texts.shortcuts.goProjects, run: () => void navigate({ to: "/" }) },
		],
	});
	return (
		<ShellContext value={{ openCommand: () => setCommand(true), openShortcuts: () => setSheet(true) }}>
			{/* Not a link to #content: the page has a <base>, so a bare fragment would leave it. */}
			<button
				type="button"
				onClick={() => document.getElementById("content")?.focus()}
				className="popup-surface fixed top-1 left-1 z-50 -translate-y-20 px-3 py-1.5 focus:translate-y-0"
			>
				{texts.skipToContent}
			</button>
			<div className="flex h-full flex-col-reverse sm:flex-row">
				{isPhone ? <PhoneBar /> : <NavRail />}
				<div className="flex min-h-0 min-w-0 flex-1 flex-col">
					<Suspense>{troubleSince !== undefined && <StorageNotice since={troubleSince} />}</Suspense>
					{/* Stays to say what became of them. */}
					<Suspense>{hasWaited && <WaitingReviews />}</Suspense>
					<Outlet />
					{runs !== undefined && (
						<Suspense>
							<RunsPanel />
						</Suspense>
					)}
				</div>
			</div>
			{command && <CommandDialog onClose={() => setCommand(false)} />}
			<SessionWatch />
			<Suspense>{keyLeft !== undefined && <LeftKeyDialog apiKey={keyLeft} />}</Suspense>
			<Suspense>{sheet && <ShortcutSheet onClose={() => setSheet(false)} />}</Suspense>
		</ShellContext>
	);
}
