// No registry has the clients: they are installed from a clone of the repository.

export const INSTALL_PYTHON_CLIENT = `# in a clone of Spanward
pip install ./clients/python`;

export const INSTALL_TYPESCRIPT_CLIENT = `# in a clone of Spanward
npm run build:clients
# in your project
npm install --install-links ../spanward/clients/typescript/dist`;
