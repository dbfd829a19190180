//! A client of other MCP servers: their tools are offered here, and called there.
