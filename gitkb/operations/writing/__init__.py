"""What every verb that writes stands on: names, numbers, drafts, times, and the put itself."""
