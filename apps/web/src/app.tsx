import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { whenForgotten } from "./auth/forget.ts";
import type { Me } from "./auth/me.ts";
import { meQuery } from "./lib/me.ts";
import { queryClient } from "./lib/query-client.ts";
import { ShortcutProvider } from "./lib/shortcuts.tsx";
import { router } from "./router.tsx";
import { ErrorState } from "./ui/error-state.tsx";
import { TooltipProvider } from "./ui/tooltip.tsx";

/** Draws the app for `me`; undefined while authentication is off. */
export function renderApp(element: HTMLElement, me: Me | undefined): void {
	queryClient.setQueryData(meQuery.queryKey, me ?? null);
	const root = createRoot(element);
	whenForgotten(() => {
		root.unmount();
		queryClient.clear();
	});
	root.render(
		<StrictMode>
			<CSPProvider disableStyleElements>
				<QueryClientProvider client={queryClient}>
					<ShortcutProvider>
						<TooltipProvider>
							<RouterProvider router={router} />
						</TooltipProvider>
					</ShortcutProvider>
				</QueryClientProvider>
			</CSPProvider>
		</StrictMode>,
	);
}

/** Draws an error in place of the app, when the server did not answer who is logged in. */
export function renderFailure(element: HTMLElement, error: Error): void {
	createRoot(element).render(
		<main>
			<ErrorState error={error} onRetry={() => location.reload()} />
		</main>,
	);
}
