"""The face for agents: operations as tools of the Model Context Protocol."""
