import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./lib/query-client.ts";
import { ShortcutProvider } from "./lib/shortcuts.tsx";
import { followTheme } from "./lib/theme.ts";
import { router } from "./router.tsx";
import { TooltipProvider } from "./ui/tooltip.tsx";
import "./styles.css";

followTheme();

const element = document.getElementById("root");
if (!element) throw new Error("index.html has no #root");

createRoot(element).render(
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
