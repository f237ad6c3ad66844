"""Programs with one circumstance of one instruction removed, and with every state stored."""
