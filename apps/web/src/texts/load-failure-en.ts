/** Of the page that could not load the rest of the app. */
export const loadFailure =
	"Spanward did not load. The server does not answer, or it was upgraded just now. Check that it runs, then reload the page.";
